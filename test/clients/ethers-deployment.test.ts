/** Deployments by ethers, unmodified, as hardhat's helpers make them: it computes their addresses by itself. */

import {
	type BaseContract,
	ContractFactory,
	getCreateAddress,
	JsonRpcProvider,
	type JsonRpcSigner,
} from "ethers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DevelopmentNode, STORE } from "../node/api/development/development-node.js";

let chain: DevelopmentNode;
let provider: JsonRpcProvider;
let signer: JsonRpcSigner;
let factory: ContractFactory;

beforeAll(async () => {
	chain = await DevelopmentNode.start();
	provider = new JsonRpcProvider(`${chain.url}/jsonrpc`, undefined, {
		pollingInterval: 20,
		cacheTimeout: -1,
	});
	signer = await provider.getSigner(0);
	factory = new ContractFactory(STORE.abi as never, STORE.bytecode, signer);
});
afterAll(async () => {
	provider.destroy();
	await chain.stop();
});

const storedValue = (contract: BaseContract): Promise<bigint> => contract.getFunction("value").staticCall();

describe("a contract that ethers deploys", () => {
	it("lies where ethers looks for it, one after the other", async () => {
		for (const value of [7n, 8n, 9n]) {
			const contract = await (await factory.deploy(value)).waitForDeployment();
			expect(await storedValue(contract)).toBe(value);
		}
	});

	it("can be known before it is deployed, and has the address of its receipt everywhere", async () => {
		const nonce = await signer.getNonce();
		const predicted = getCreateAddress({ from: signer.address, nonce });
		const contract = await (await factory.deploy(1n)).waitForDeployment();
		expect(await contract.getAddress()).toBe(predicted);
		const hash = contract.deploymentTransaction()?.hash ?? "";
		expect((await provider.getTransactionReceipt(hash))?.contractAddress).toBe(predicted);
		expect(await provider.getTransaction(hash)).toMatchObject({ nonce });
		const shown = await chain.post("/wallet/gettransactionbyid", { value: hash.slice(2) });
		expect(shown["contract_address"]).toBe(`41${predicted.slice(2).toLowerCase()}`);
		expect(await signer.getNonce()).toBe(nonce + 1);
	});

	it("is gone with a snapshot, and its address is the next one's", async () => {
		const snapshot = await provider.send("evm_snapshot", []);
		const first = await (await factory.deploy(1n)).waitForDeployment();
		expect(await provider.send("evm_revert", [snapshot])).toBe(true);
		expect(await provider.getCode(first)).toBe("0x");
		const second = await (await factory.deploy(2n)).waitForDeployment();
		expect(await second.getAddress()).toBe(await first.getAddress());
		expect(await storedValue(second)).toBe(2n);
	});

	it("has an address of its own beside others that wait for the same block", async () => {
		await provider.send("dev_setSealing", ["manual"]);
		const both = [await factory.deploy(4n), await factory.deploy(5n)];
		await provider.send("evm_mine", []);
		await provider.send("dev_setSealing", ["instant"]);
		const values = await Promise.all(both.map(async (each) => storedValue(await each.waitForDeployment())));
		expect(values).toEqual([4n, 5n]);
	});

	it("leaves deployments of the network's own libraries where those look for them", async () => {
		const before = await signer.getNonce();
		const { txid } = await chain.act("deploycontract", {
			abi: JSON.stringify(STORE.abi),
			bytecode: `${STORE.bytecode.replace(/^0x/, "")}${"0".repeat(63)}3`,
			fee_limit: 1_000_000_000,
			origin_energy_limit: 10_000_000,
			consume_user_resource_percent: 100,
		});
		const built = await chain.post("/wallet/gettransactionbyid", { value: txid });
		const info = await chain.info(String(txid));
		expect(built["contract_address"]).toBe(info["contract_address"]);
		expect(await signer.getNonce()).toBe(before);
	});
});

describe("what can't be", () => {
	it("says why: calls of no contract, transactions of Ethereum's form, nonces of others", async () => {
		const from = signer.address;
		const send = (call: object) => provider.send("eth_sendTransaction", [call]);
		const nobody = `0x${"12".repeat(20)}`;
		await expect(send({ from, to: nobody, data: "0x12345678" })).rejects.toThrow(
			`there is no contract at ${nobody}`,
		);
		await expect(send({ from, data: STORE.bytecode, nonce: "0x63" })).rejects.toThrow("has the nonce");
		await expect(provider.send("eth_sendRawTransaction", ["0x02"])).rejects.toThrow(
			"provider.getSigner(address)",
		);
	});
});
