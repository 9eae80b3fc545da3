import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { status } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromHex } from "../../src/protocol/bytes.js";
import { toDeployed } from "../../src/protocol/dialect.js";
import { sha256 } from "../../src/protocol/hash.js";
import { sign } from "../../src/protocol/signature.js";
import { type DeployedChain, type Person, startDeployedChain } from "./deployed-chain.js";
import { type Fields, GrpcServices, hexOf } from "./grpc-service.js";

/** The schema as clients of the network have it: every identifier in the deployed spelling. */
function deployedSchema(): protobuf.Root {
	const folder = fileURLToPath(new URL("../../proto", import.meta.url));
	const root = new protobuf.Root();
	const any = protobuf.common.get("google/protobuf/any.proto");
	root.addJSON(any?.nested ?? {});
	for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
		if (!file.endsWith(".proto")) continue;
		const text = readFileSync(join(folder, file), "utf8").replace(/^import .*$/gm, "");
		const deployed = text.replace(/[A-Za-z_]\w*/g, toDeployed);
		protobuf.parse(deployed, root, { keepCase: true });
	}
	root.resolveAll();
	return root;
}

let chain: DeployedChain;
let wallet: GrpcServices;
let solidity: GrpcServices;
let ann: Person;
let bob: Person;

beforeAll(async () => {
	chain = await startDeployedChain();
	[ann, bob] = chain.people as [Person, Person];
	const schema = deployedSchema();
	wallet = new GrpcServices(chain.grpc, schema);
	solidity = new GrpcServices(chain.grpcSolidity, schema);
});
afterAll(async () => {
	wallet.close();
	solidity.close();
	await chain.close();
});

const at = (person: Person): { readonly address: Uint8Array } => ({ address: fromHex(person.hex) });

/** Signs a transaction that a method built, and broadcasts it. @returns its id */
async function send(built: Fields, by: Person): Promise<string> {
	const { transaction, txid, result } = built as { transaction: Fields; txid: string; result: Fields };
	expect(result).toEqual({ result: true });
	const rawType = wallet.schema.lookupType("protocol.Transaction.raw");
	const raw = rawType.encode(rawType.fromObject(transaction["raw_data"] as Fields)).finish();
	const id = sha256(raw);
	expect(hexOf(txid)).toBe(Buffer.from(id).toString("hex"));
	const signature = Buffer.from(sign(id, fromHex(by.key))).toString("base64");
	const answer = await wallet.call("protocol.Wallet/BroadcastTransaction", {
		...transaction,
		signature: [signature],
	});
	expect(answer).toEqual({ result: true });
	return Buffer.from(id).toString("hex");
}

describe("a client of the deployed schema", () => {
	it("pays, and finds what it did", async () => {
		const built = await wallet.call("protocol.Wallet/CreateTransaction2", {
			owner_address: fromHex(ann.hex),
			to_address: fromHex(bob.hex),
			amount: "5",
		});
		const id = await send(built, ann);
		for (const [services, name] of [
			[wallet, "Wallet"],
			[solidity, "WalletSolidity"],
		] as const) {
			const account = await services.call(`protocol.${name}/GetAccount`, at(bob));
			expect(account).toMatchObject({ balance: "1000000000005" });
			const value = { value: fromHex(id) };
			const found = await services.call(`protocol.${name}/GetTransactionById`, value);
			expect(found["ret"]).toMatchObject([{ contractRet: "SUCCESS" }]);
			const info = await services.call(`protocol.${name}/GetTransactionInfoById`, value);
			expect(hexOf(info["id"])).toBe(id);
			const block = await services.call(`protocol.${name}/GetNowBlock2`);
			expect(block).toMatchObject({ block_header: { raw_data: { number: "2" } } });
		}
	});

	it("deploys and calls a contract", async () => {
		// Returns 42 to every call: PUSH 2a, MSTORE at 0, RETURN 32 bytes.
		const bytecode = fromHex("600a600c600039600a6000f3602a60005260206000f3");
		const built = await wallet.call("protocol.Wallet/DeployContract", {
			owner_address: fromHex(ann.hex),
			new_contract: {
				origin_address: fromHex(ann.hex),
				name: "Answer",
				bytecode,
				origin_energy_limit: "1000000",
			},
		});
		const transaction = built["transaction"] as { raw_data: Fields };
		const raw_data = { ...transaction.raw_data, fee_limit: "1000000000" };
		const rawType = wallet.schema.lookupType("protocol.Transaction.raw");
		const txid = Buffer.from(sha256(rawType.encode(rawType.fromObject(raw_data)).finish())).toString(
			"base64",
		);
		const id = await send({ ...built, transaction: { ...transaction, raw_data }, txid }, ann);
		const info = await wallet.call("protocol.Wallet/GetTransactionInfoById", { value: fromHex(id) });
		expect(info).toMatchObject({ receipt: { result: "SUCCESS" } });
		const contract_address = fromHex(hexOf(info["contract_address"]));
		const called = await wallet.call("protocol.Wallet/TriggerConstantContract", {
			owner_address: fromHex(bob.hex),
			contract_address,
		});
		expect((called["constant_result"] as string[]).map(hexOf)).toEqual([(42).toString(16).padStart(64, "0")]);
		const estimate = await wallet.call("protocol.Wallet/EstimateEnergy", {
			owner_address: fromHex(bob.hex),
			contract_address,
		});
		expect(estimate).toMatchObject({ result: { result: true } });
		expect(Number(estimate["energy_required"])).toBeGreaterThanOrEqual(18);
		const found = await wallet.call("protocol.Wallet/GetContract", { value: contract_address });
		expect(found).toMatchObject({ name: "Answer" });
	});

	it("asks by the names that have another spelling here", async () => {
		expect(wallet.methods("protocol.Wallet")).toContain("GetBurnTrx");
		expect(await wallet.call("protocol.Wallet/GetBurnTrx")).toBeTypeOf("object");
		const resources = await wallet.call("protocol.Wallet/GetAccountResource", at(ann));
		expect(resources).toMatchObject({ freeNetLimit: "5000" });
		const { chainParameter } = await wallet.call("protocol.Wallet/GetChainParameters");
		expect(chainParameter).toContainEqual({ key: "getAllowTvmTransferTrc10", value: "1" });
	});

	it("gets an answer or a status from every method that has arguments of any kind", async () => {
		for (const [services, name] of [
			[wallet, "Wallet"],
			[solidity, "WalletSolidity"],
		] as const) {
			const outcomes = await Promise.all(
				services.methods(`protocol.${name}`).map(async (method) => {
					try {
						await services.call(`protocol.${name}/${method}`);
						return [method, "answered"] as const;
					} catch (error) {
						const { code, details } = error as { code: number; details: string };
						return [method, `${status[code]}: ${details}`] as const;
					}
				}),
			);
			const odd = outcomes.filter(([, outcome]) =>
				/^(UNIMPLEMENTED|UNAVAILABLE|DEADLINE|CANCELLED)/.test(outcome),
			);
			// The network's nodes declare these three and don't have them either.
			const withoutService = ["BuyStorage", "BuyStorageBytes", "SellStorage"];
			expect(odd.map(([method]) => method)).toEqual(name === "Wallet" ? withoutService : []);
			expect(outcomes.filter(([, outcome]) => outcome === "answered").length).toBeGreaterThan(30);
		}
	});

	it("is told what is wrong with a request that can't be read", async () => {
		await expect(
			wallet.call("protocol.Wallet/GetBlockByLimitNext", { startNum: "5", endNum: "1" }),
		).resolves.toEqual({});
		const missing = wallet.call("protocol.Wallet/GetBlockById", { value: Uint8Array.of(1) });
		await expect(missing).resolves.toBeTypeOf("object");
	});
});
