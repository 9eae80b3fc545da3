import { Contract, Interface, id, JsonRpcProvider, type Log, Network, ZeroAddress } from "ethers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
	coupon,
	type DeployedCoupon,
	deployCoupon,
	startTronWebChain,
	type TronWebChain,
} from "./tronweb-chain.js";

let chain: TronWebChain;
let deployed: DeployedCoupon;
let provider: JsonRpcProvider;
let contract: Contract;
let [ann, bob]: readonly string[] = [];

const face = new Interface(coupon.abi as never);

beforeAll(async () => {
	chain = await startTronWebChain();
	[ann, bob] = chain.people.map(({ hex }) => `0x${hex.slice(2)}`);
	deployed = await deployCoupon(chain);
	provider = new JsonRpcProvider(chain.jsonrpc, undefined, {
		polling: true,
		pollingInterval: 50,
		cacheTimeout: -1,
	});
	contract = new Contract(deployed.address20, face, provider);
});
afterAll(async () => {
	provider.destroy();
	await chain.close();
});

/** @returns the id of a payment in tokens */
async function transfer(amount: number): Promise<string> {
	const { transaction } = await chain.web.transactionBuilder.triggerSmartContract(
		deployed.address,
		"transfer(address,uint256)",
		{ feeLimit: 1_000_000_000 },
		[
			{ type: "address", value: bob },
			{ type: "uint256", value: amount },
		],
		chain.people[0]?.address,
	);
	await chain.act(transaction);
	return `0x${transaction.txID}`;
}

describe("blocks and transactions", () => {
	it("are read by number, hash and tag", async () => {
		const byNumber = (tag: string, full = false): Promise<Record<string, unknown>> =>
			provider.send("eth_getBlockByNumber", [tag, full]);
		const number = `0x${(await provider.getBlockNumber()).toString(16)}`;
		const head = await byNumber("latest");
		expect(head).toMatchObject({ number, transactions: [deployed.payment] });
		for (const same of [
			await byNumber(number),
			await byNumber("finalized"),
			await provider.send("eth_getBlockByHash", [head["hash"], false]),
		])
			expect(same).toEqual(head);
		expect(await byNumber("earliest")).toMatchObject({ number: "0x0" });
		expect(await byNumber(number, true)).toMatchObject({ transactions: [{ hash: deployed.payment }] });
		expect(await provider.getBlock(99)).toBeNull();
		const block = await provider.getBlock("latest", true);
		expect(block).toMatchObject({ hash: head["hash"], stateRoot: `0x${"00".repeat(32)}` });
		expect(block?.prefetchedTransactions[0]).toMatchObject({ hash: deployed.payment, nonce: 0 });
		for (const tag of ["pending", "safe", "finalized"]) {
			expect((await provider.getBlock(tag))?.hash).toBe(head["hash"]);
		}
	});

	it("have receipts", async () => {
		const found = await provider.getTransaction(deployed.payment);
		expect(found).toMatchObject({ hash: deployed.payment, value: 0n });
		expect(found?.from.toLowerCase()).toBe(ann);
		const receipt = await provider.getTransactionReceipt(deployed.payment);
		expect(receipt).toMatchObject({ status: 1, hash: deployed.payment });
		expect(face.parseLog(receipt?.logs[0] as Log)?.args.toObject()).toMatchObject({ value: 7n });
		const deployment = await provider.waitForTransaction(deployed.deployment);
		expect(deployment?.contractAddress?.toLowerCase()).toBe(deployed.address20);
		expect(await provider.getTransaction(`0x${"1".repeat(64)}`)).toBeNull();
	});
});

describe("the state", () => {
	it("is read", async () => {
		expect(await provider.getBalance(bob ?? "")).toBe(1_000_000_000_000n);
		expect(await provider.getBalance(ZeroAddress)).toBe(0n);
		expect(await provider.getCode(deployed.address20)).toMatch(/^0x60/);
		expect(await provider.getStorage(deployed.address20, 1)).toBe(
			`0x${(1_000_000).toString(16).padStart(64, "0")}`,
		);
		expect(await provider.send("eth_gasPrice", [])).toBe("0x64");
		const network = await provider.getNetwork();
		expect(network.chainId).toBe(BigInt(`0x${chain.node.genesisId.slice(-8)}`));
		expect(network.matches(Network.from(network.chainId))).toBe(true);
	});

	it("of contracts is called, estimated and refused with its reason", async () => {
		const call = (name: string, ...args: unknown[]): Promise<unknown> =>
			contract.getFunction(name).staticCall(...args);
		expect(await call("name")).toBe("Coupon");
		expect(await call("balanceOf", bob)).toBe(7n);
		expect(String(await call("holdings", [ann, bob]))).toMatch(/,999993,0x.*,7$/);
		expect(await call("several", -5, `0x${"ab".repeat(32)}`, true)).toEqual([
			5n,
			`0x${"ab".repeat(32)}`,
			false,
			"several",
		]);
		const pay = contract.getFunction("transfer");
		expect(await pay.staticCall(bob, 5, { from: ann })).toBe(true);
		expect(await pay.estimateGas(bob, 5, { from: ann })).toBeGreaterThan(1_000n);
		await expect(pay.staticCall(bob, 10n ** 18n, { from: ann })).rejects.toMatchObject({
			code: "CALL_EXCEPTION",
			revert: { name: "Insufficient", args: expect.anything() },
		});
		await expect(pay.estimateGas(bob, 10n ** 18n, { from: ann })).rejects.toMatchObject({
			data: expect.stringMatching(/^0x[0-9a-f]{200}/),
		});
		expect(await provider.call({ to: bob ?? "", data: "0x01" })).toBe("0x");
		expect(await provider.getTransactionCount(bob ?? "", "pending")).toBe(0);
		expect(await provider.getBalance(bob ?? "", "finalized")).toBe(1_000_000_000_000n);
		expect(await provider.getFeeData()).toMatchObject({ gasPrice: 100n });
		expect(await provider.estimateGas({ from: ann ?? null, to: bob ?? null, value: 5 })).toBeTypeOf("bigint");
	});
});

describe("logs", () => {
	it("are found by address, topic, range and block", async () => {
		const topic = id("Transfer(address,address,uint256)");
		const receipt = await provider.getTransactionReceipt(deployed.payment);
		const padded = `0x${"0".repeat(24)}${bob?.slice(2)}`;
		for (const found of [
			await provider.getLogs({ address: deployed.address20, topics: [topic, null, padded], fromBlock: 0 }),
			await provider.getLogs({
				topics: [[topic, id("other")], null, padded],
				fromBlock: "earliest",
				toBlock: "latest",
			}),
			await provider.getLogs({ blockHash: receipt?.blockHash ?? "" }),
			await contract.queryFilter(contract.filters["Transfer"]?.(null, bob) ?? "", 0),
		])
			expect(found.map(({ transactionHash }) => transactionHash)).toEqual([deployed.payment]);
		expect(await provider.getLogs({ address: ZeroAddress, fromBlock: 0 })).toEqual([]);
		await expect(provider.getLogs({ fromBlock: 3, toBlock: 1 })).rejects.toThrow(
			"please verify: fromBlock <= toBlock",
		);
	});

	it("and blocks reach listeners", async () => {
		const block = new Promise<number>((resolve) => void provider.once("block", resolve));
		// The library takes the head from which it listens at its first poll: what comes before isn't seen.
		let seen: bigint | undefined;
		await contract.once("Transfer", (_from, _to, value: bigint) => {
			seen = value;
		});
		// It has asked for that head: a block before the answer would have it ask for logs from 5 to 4, and nobody takes the refusal.
		await provider.getBlockNumber();
		await expect.poll(async () => transfer(3).then(() => seen), { interval: 300 }).toBe(3n);
		expect(await block).toBeGreaterThan(0);
	});

	it("reach filters that are asked by hand", async () => {
		const filter = await provider.send("eth_newFilter", [{ address: deployed.address20 }]);
		const done = await transfer(4);
		const changes = (await provider.send("eth_getFilterChanges", [filter])) as { transactionHash: string }[];
		expect(changes.map(({ transactionHash }) => transactionHash)).toEqual([done]);
		expect(await provider.send("eth_uninstallFilter", [filter])).toBe(true);
		await expect(provider.send("eth_getFilterChanges", [filter])).rejects.toThrow("filter not found");
	});
});

describe("requests", () => {
	it("are sent in batches", async () => {
		const batching = new JsonRpcProvider(chain.jsonrpc, undefined, {
			batchMaxCount: 50,
			batchStallTime: 5,
			staticNetwork: true,
		});
		const answers = await Promise.all([
			batching.getBlockNumber(),
			batching.getBalance(bob ?? ""),
			batching.getCode(deployed.address20),
		]);
		expect(answers).toEqual([
			await provider.getBlockNumber(),
			1_000_000_000_000n,
			await provider.getCode(deployed.address20),
		]);
		batching.destroy();
	});

	it("that the network doesn't have are refused as such", async () => {
		await expect(provider.broadcastTransaction("0x02f8")).rejects.toThrow();
		await expect(provider.send("eth_sendRawTransaction", ["0x00"])).rejects.toThrow("not of this network");
	});
});

describe("a signer of the node", () => {
	it("pays, calls, and is told why it can't", async () => {
		const signer = await provider.getSigner(ann);
		expect((await provider.listAccounts()).map(({ address }) => address.toLowerCase())).toContain(ann);
		const paid = await signer.sendTransaction({ to: bob ?? "", value: 3n });
		expect(await paid.wait()).toMatchObject({ status: 1, hash: paid.hash });
		const called = await (contract.connect(signer) as Contract).getFunction("transfer")(bob, 1);
		expect((await called.wait())?.logs).toHaveLength(1);
		await expect(provider.getSigner(deployed.address20)).rejects.toThrow("invalid account");
		const rich = signer.sendTransaction({ to: bob ?? "", value: 10n ** 18n });
		await expect(rich).rejects.toMatchObject({
			info: { error: { message: expect.stringContaining("balance is not sufficient") } },
		});
	});
});

describe("development methods", () => {
	it("are on the listener of JSON-RPC too", async () => {
		const snapshot = await provider.send("evm_snapshot", []);
		await provider.send("evm_mine", []);
		expect(await provider.send("dev_info", [])).toMatchObject({ chainId: expect.any(String) });
		const trace = await provider.send("debug_traceTransaction", [deployed.payment]);
		expect(trace.structLogs.length).toBeGreaterThan(10);
		expect(await provider.send("evm_revert", [snapshot])).toBe(true);
	});

	it("change nothing for pages of other origins", async () => {
		const ask = async (method: string, params: object[]): Promise<string> => {
			const headers = { origin: "https://page.example" };
			const body = JSON.stringify({
				jsonrpc: "2.0",
				id: 1,
				method,
				params,
			});
			return (await fetch(chain.jsonrpc, { method: "POST", body, headers })).text();
		};
		const payment = { from: ann, to: bob, value: "0x1" };
		for (const method of ["evm_mine", "eth_sendTransaction", "dev_accounts"]) {
			expect(await ask(method, [payment])).toContain("pages of other origins may not call");
		}
		expect(await ask("eth_blockNumber", [])).toContain("result");
	});
});
