import { createServer } from "node:net";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromHex, toHex, utf8 } from "../../../../src/protocol/bytes.js";
import { contractTypeById } from "../../../../src/protocol/contract-types.js";
import {
	Account,
	Any,
	BlockReq,
	BytesMessage,
	CreateSmartContract,
	IvkDecryptORC20Parameters,
	SmartContract,
	Transaction,
	TransactionContract,
	TransactionRaw,
	TransferContract,
} from "../../../../src/protocol/messages.js";
import { sign } from "../../../../src/protocol/signature.js";
import { KEYS, NOW_MS, POOR, RICH } from "../http-node.js";
import { type GrpcNode, type Port, startGrpcNode } from "./grpc-node.js";

const MALFORMED = fromHex("0aff");
const text = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("utf8");

interface Extention {
	readonly transaction: Transaction;
	readonly txid: Uint8Array;
	readonly result: { readonly result: boolean; readonly code: number; readonly message: Uint8Array };
}

let node: GrpcNode;
beforeAll(async () => {
	node = await startGrpcNode();
});
afterAll(() => node.close());

describe("methods", () => {
	it.each([
		["Wallet", "GetBurnCoin", "GetBurnTrx"],
		["Wallet", "ScanShieldedORC20NotesByIvk", "ScanShieldedTRC20NotesByIvk"],
	])("%s/%s is also served as %s", async (service, neutral, deployed) => {
		const answers = await Promise.all(
			[neutral, deployed].map((name) => node.send(`/protocol.${service}/${name}`)),
		);
		expect(answers[0]).toEqual(answers[1]);
		expect(answers[0]).not.toMatchObject({ error: { code: 12 } });
	});

	it.each<[Port, string, string]>([
		["grpc", "/protocol.Wallet/NoSuch", "protocol.Wallet/NoSuch"],
		["grpc", "/protocol.Wallet/getaccount", "protocol.Wallet/getaccount"],
		["grpc", "/Wallet/GetAccount", "Wallet/GetAccount"],
		["grpc", "/protocol.WalletSolidity/GetAccount", "protocol.WalletSolidity/GetAccount"],
		["grpcSolidity", "/protocol.Wallet/GetAccount", "protocol.Wallet/GetAccount"],
		["grpcPbft", "/protocol.Wallet/GetAccount", "protocol.Wallet/GetAccount"],
		[
			"grpc",
			"/protocol.WalletExtension/GetTransactionsToThis",
			"protocol.WalletExtension/GetTransactionsToThis",
		],
		["grpc", "/protocol.Monitor/GetStatsInfo", "protocol.Monitor/GetStatsInfo"],
		["grpc", "/grpc.health.v2.Health/Check", "grpc.health.v2.Health/Check"],
	])("%s does not have %s", async (port, path, name) => {
		expect(await node.send(path, new Uint8Array(0), port)).toEqual({
			error: { code: 12, message: `Method not found: ${name}` },
		});
	});

	it("ends a call whose header fields are longer than node.rpc.maxHeaderListSize", async () => {
		const client = new Client(`127.0.0.1:${node.ports.grpc}`, credentials.createInsecure());
		const asIs = (bytes: Buffer): Buffer => bytes;
		const ask = (length: number) =>
			new Promise((resolve) => {
				const metadata = new Metadata();
				metadata.set("x", "a".repeat(length));
				const path = "/protocol.Wallet/GetNextMaintenanceTime";
				client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), metadata, (error) =>
					resolve(error?.code ?? 0),
				);
			});
		expect([await ask(7_000), await ask(9_000)]).toEqual([0, 8]);
		client.close();
	});

	it("answers an unknown stream before its client has said anything", async () => {
		const client = new Client(`127.0.0.1:${node.ports.grpc}`, credentials.createInsecure());
		const asIs = (bytes: Buffer): Buffer => bytes;
		const stream = client.makeBidiStreamRequest("/no.such.Service/Talk", asIs, asIs);
		const code = await new Promise((resolve) => {
			stream.on("error", (error: { readonly code?: number }) => resolve(error.code));
		});
		expect(code).toBe(12);
		client.close();
	});

	it.each<[Port, string]>([
		["grpc", "protocol.Wallet/BuyStorage"],
		["grpcPbft", "protocol.WalletSolidity/GetTransactionInfoByBlockNum"],
	])("%s lists %s and does not serve it", async (port, name) => {
		expect(await node.send(`/${name}`, new Uint8Array(0), port)).toEqual({
			error: { code: 12, message: `Method ${name} is unimplemented` },
		});
	});

	it.each(["GetAccount", "GetNowBlock", "BuyStorage", "GetMarketOrderById"])(
		"%s refuses what is no message",
		async (name) => {
			expect(await node.send(`/protocol.Wallet/${name}`, MALFORMED)).toEqual({
				error: { code: 2, message: "Application error processing RPC" },
			});
		},
	);
});

it("takes a message of empty items for the client's error, and reports no fault", async () => {
	const items = Buffer.alloc(200_000, Buffer.of(0x2a, 0x00));
	expect(await node.send("/protocol.Wallet/BroadcastTransaction", items)).toMatchObject({
		error: { code: 3 },
	});
});

describe("answers", () => {
	it("a missing object is the empty message", async () => {
		const request = Account.encode(Account.create({ address: fromHex(`41${"11".repeat(20)}`) }));
		expect(await node.send("/protocol.Wallet/GetAccount", request)).toEqual({ answer: Buffer.alloc(0) });
	});

	it.each<[Port, string]>([
		["grpc", "Wallet/GetAccount"],
		["grpcSolidity", "WalletSolidity/GetAccount"],
		["grpcPbft", "WalletSolidity/GetAccount"],
	])("%s answers %s", async (port, method) => {
		const account = await node.call<Account>(method, { address: RICH }, port);
		expect(account.balance).toBe(95_000_000_000_000_000n);
	});

	it("a built transaction comes with its id, its time from the node's clock", async () => {
		const contract = { owner_address: RICH, to_address: POOR, amount: 5n };
		const { transaction, txid, result } = await node.call<Extention>("Wallet/CreateTransaction2", contract);
		expect(transaction.raw_data?.timestamp).toBe(NOW_MS);
		expect(txid).toHaveLength(32);
		expect(result).toMatchObject({ result: true, code: 0 });
		const bare = await node.call<Transaction>("Wallet/CreateTransaction", contract);
		expect(bare.raw_data).toEqual(transaction.raw_data);
	});

	it("an invalid contract is refused by name, or by an empty transaction", async () => {
		const contract = { owner_address: RICH, to_address: RICH, amount: 5n };
		const { result, transaction } = await node.call<Extention>("Wallet/CreateTransaction2", contract);
		expect(transaction).toBeUndefined();
		expect(result).toMatchObject({ result: false, code: 2 });
		expect(text(result.message)).toBe("Contract validate error : Cannot transfer TRX to yourself.");
		expect(
			await node.send(
				"/protocol.Wallet/CreateTransaction",
				TransferContract.encode(TransferContract.create(contract)),
			),
		).toEqual({ answer: Buffer.alloc(0) });
	});

	it("another transaction's contract is built anew", async () => {
		const contract = { owner_address: RICH, to_address: POOR, amount: 6n };
		const { transaction } = await node.call<Extention>("Wallet/CreateTransaction2", contract);
		const again = await node.call<Extention>("Wallet/CreateCommonTransaction", transaction);
		expect(again.transaction).toEqual(transaction);
		// Its parameter stays as somebody has written it.
		const [only] = transaction.raw_data?.contract ?? [];
		const parameter = Any.create({ ...only?.parameter, type_url: "example.org/protocol.TransferContract" });
		const odd = await node.call<Extention>("Wallet/CreateCommonTransaction", {
			raw_data: TransactionRaw.create({ contract: [TransactionContract.create({ ...only, parameter })] }),
		});
		expect(odd.transaction.raw_data?.contract[0]?.parameter).toEqual(parameter);
		expect(await node.send("/protocol.Wallet/CreateCommonTransaction")).toMatchObject({ error: { code: 2 } });
	});

	it.each([
		[
			2,
			"contract type error, expected type [TransferAssetContract], real type[class com.google.protobuf.Any]",
		],
		// Whatever a call holds is looked at when it is executed.
		[31, undefined],
		[6, "contract type error,expected type [AssetIssueContract],real type[class com.google.protobuf.Any]"],
		[
			8,
			"contract type error, expected type [WitnessUpdateContract],real type[class com.google.protobuf.Any]",
		],
		[
			55,
			"contract type error, expected type [UnfreezeBalanceContract], real type[class com.google.protobuf.Any]",
		],
		// A closed gate comes before the type of the parameter.
		[49, "contract type error, unexpected type [UpdateBrokerageContract]"],
	])("a contract of type %d with another one's parameter is refused: %s", async (type, message) => {
		const contract = { owner_address: RICH, to_address: POOR, amount: 6n };
		const { transaction } = await node.call<Extention>("Wallet/CreateTransaction2", contract);
		const [transfer] = transaction.raw_data?.contract ?? [];
		const { result } = await node.call<Extention>("Wallet/CreateCommonTransaction", {
			raw_data: TransactionRaw.create({ contract: [TransactionContract.create({ ...transfer, type })] }),
		});
		if (message === undefined) {
			expect(result).toMatchObject({ result: true });
			return;
		}
		expect(result).toMatchObject({ result: false, code: 2 });
		expect(text(result.message)).toBe(`Contract validate error : ${message}`);
	});

	it.each([
		[52, "Not support Market Transaction, need to be opened by the committee"],
		[54, "Not support FreezeV2 transaction, need to be opened by the committee"],
		[57, "No support for resource delegate"],
		// Nothing closes transfers.
		[1, /^Contract validate error : (?!.*Not support)/],
	])("a contract of type %d that can't be read is refused by its gate first", async (type, message) => {
		const name = contractTypeById(type)?.message?.typeName;
		const parameter = Any.create({ type_url: `type.googleapis.com/${name}`, value: Uint8Array.of(0xff) });
		const { result } = await node.call<Extention>("Wallet/CreateCommonTransaction", {
			raw_data: TransactionRaw.create({ contract: [TransactionContract.create({ parameter, type })] }),
		});
		if (typeof message === "string")
			expect(text(result.message)).toBe(`Contract validate error : ${message}`);
		else expect(text(result.message)).toMatch(message);
	});

	it("a contract of a type without a message is refused like a fault", async () => {
		const { result } = await node.call<Extention>("Wallet/CreateCommonTransaction", {
			raw_data: TransactionRaw.create({ contract: [TransactionContract.create({ type: 3 })] }),
		});
		expect(result).toMatchObject({ result: false, code: 20 });
		expect(text(result.message)).toBe("class java.lang.NullPointerException : null");
	});

	it("a percentage out of range is found before a deployment", async () => {
		const { result } = await node.call<Extention>(
			"Wallet/DeployContract",
			CreateSmartContract.create({
				new_contract: SmartContract.create({ consume_user_resource_percent: 101n }),
			}),
		);
		expect(text(result.message)).toBe("Contract validate error : percent must be >= 0 and <= 100");
	});

	it("a reason is told as INTERNAL, or withheld as UNKNOWN", async () => {
		const id = BytesMessage.encode(BytesMessage.create({ value: new Uint8Array(32) }));
		expect(await node.send("/protocol.Wallet/GetMarketOrderById", id)).toEqual({
			error: { code: 13, message: "order not found in store" },
		});
		expect(await node.send("/protocol.Wallet/GetTransactionFromPending")).toEqual({
			error: { code: 2, message: "" },
		});
	});

	it.each([
		["-1", "num must be non-positive number."],
		["zz", "id must be legal block hash."],
	])("a block can't be named %j", async (id_or_num, message) => {
		const request = BlockReq.encode(BlockReq.create({ id_or_num }));
		expect(await node.send("/protocol.Wallet/GetBlock", request)).toEqual({ error: { code: 3, message } });
	});

	it("a block has its transactions only with detail", async () => {
		interface Extended {
			readonly transactions: readonly Extention[];
			readonly blockid: Uint8Array;
		}
		const bare = await node.call<Extended>("Wallet/GetBlock");
		expect(bare.transactions).toHaveLength(0);
		const detailed = await node.call<Extended>("Wallet/GetBlock", { detail: true });
		expect(detailed.transactions).toHaveLength(3);
		expect(detailed.transactions.every(({ result }) => result.result)).toBe(true);
		expect(detailed.blockid).toEqual(bare.blockid);
	});

	it("a transaction goes into the pool and is found there", async () => {
		const contract = { owner_address: RICH, to_address: POOR, amount: 7n };
		const { transaction, txid } = await node.call<Extention>("Wallet/CreateTransaction2", contract);
		const signed = Transaction.create({ ...transaction, signature: [sign(txid, KEYS[0])] });
		expect(await node.call("Wallet/BroadcastTransaction", signed)).toMatchObject({ result: true, code: 0 });
		expect(await node.call("Wallet/GetTransactionListFromPending")).toMatchObject({ txId: [toHex(txid)] });
		expect(await node.call("Wallet/GetPendingSize")).toMatchObject({ num: 1n });
		expect(await node.call("Wallet/GetTransactionFromPending", { value: txid })).toEqual(signed);
		const weight = await node.call("Wallet/GetTransactionSignWeight", signed);
		expect(weight).toMatchObject({ current_weight: 1n, approved_list: [RICH], transaction: { txid } });
		expect(await node.call("Wallet/BroadcastTransaction", signed)).toMatchObject({
			code: 5,
			message: utf8("Dup transaction."),
		});
	});

	it("the node describes itself", async () => {
		const info = await node.call<{ readonly configNodeInfo: object }>("Wallet/GetNodeInfo");
		expect(info.configNodeInfo).toMatchObject({ dbVersion: 2, maxTimeRatio: 5 });
	});
});

describe("shielded methods", () => {
	it.each([
		["GetSpendingKey", 13, "Not support Shielded TRC20 Transaction, need to be opened by the committee"],
		["IsSpend", 13, "Not support Shielded Transaction, need to be opened by the committee"],
		["GetTriggerInputForShieldedORC20Contract", 2, ""],
	])("%s stands behind a gate of the chain in release 4.8.0", async (name, code, message) => {
		const open = await startGrpcNode("node.release = 4.8.0");
		expect(await open.send(`/protocol.Wallet/${name}`)).toEqual({ error: { code, message } });
		await open.close();
	});

	it.each([
		["4.8.0", "ShieldedTransactionApi is not allowed"],
		["4.8.2", "Shielded transaction API is disabled; set node.allowShieldedTransactionApi=true to enable."],
	])("are refused by a node of release %s that does not serve them", async (release, message) => {
		const without = await startGrpcNode(
			`node.release = ${release}\nnode.fullNodeAllowShieldedTransaction = false`,
		);
		expect(await without.send("/protocol.Wallet/GetSpendingKey")).toEqual({ error: { code: 13, message } });
		await without.close();
	});

	it("answer once the gates are open", async () => {
		const open = [
			await startGrpcNode(
				"node.release = 4.8.0\nnode.shielded.allowUnverified = true\ncommittee.allowShieldedORC20Transaction = 1",
			),
			await startGrpcNode("node.release = 4.8.1"),
			await startGrpcNode("node.allowShieldedTransactionApi = true"),
		];
		for (const each of open) {
			const answer = await each.send("/protocol.Wallet/GetSpendingKey");
			if ("error" in answer) throw new Error(answer.error.message);
			const { value } = BytesMessage.decode(answer.answer);
			expect(value).toHaveLength(32);
			expect(value[0]).toBeLessThan(16);
			await each.close();
		}
	});

	it("of notes refuse a list of events before anything else, from release 4.8.2 on", async () => {
		const off = "Shielded transaction API is disabled; set node.allowShieldedTransactionApi=true to enable.";
		const ask = (at: GrpcNode, events: readonly string[]) =>
			at.send(
				"/protocol.Wallet/ScanShieldedORC20NotesByIvk",
				IvkDecryptORC20Parameters.encode(IvkDecryptORC20Parameters.create({ events })),
			);
		expect(await ask(node, ["e"])).toEqual({
			error: { code: 3, message: "'events' field is deprecated and no longer supported" },
		});
		expect(await ask(node, [])).toEqual({ error: { code: 13, message: off } });
		expect(await node.send("/protocol.Wallet/IsSpend")).toEqual({ error: { code: 13, message: off } });
		const earlier = await startGrpcNode("node.release = 4.8.1\nnode.allowShieldedTransactionApi = false");
		expect(await ask(earlier, ["e"])).toEqual({
			error: { code: 13, message: "ShieldedTransactionApi is not allowed" },
		});
		await earlier.close();
	});
});

describe("limits", () => {
	it("a disabled method is unavailable under both of its names, a similar one isn't", async () => {
		const limited = await startGrpcNode('node.disabledApi = ["getburntrx", "GetNowBlock2"]');
		const unavailable = { error: { code: 14, message: "this API is unavailable due to config" } };
		for (const name of ["GetBurnTrx", "GetBurnCoin", "GetNowBlock2"]) {
			expect(await limited.send(`/protocol.Wallet/${name}`)).toEqual(unavailable);
		}
		expect(await limited.send("/protocol.Wallet/GetNowBlock")).toHaveProperty("answer");
		await limited.close();
	});

	it.each([
		["4.8.1", { code: 1 }],
		["4.8.2", { code: 8, message: "gRPC message exceeds maximum size 100: 101" }],
	])("a message above the limit ends its call as release %s does", async (release, error) => {
		const limited = await startGrpcNode(`node.release = ${release}\nnode.rpc.maxMessageSize = 100`);
		const ask = (length: number) => {
			const value = new Uint8Array(length - 2);
			return limited.send(
				"/protocol.Wallet/GetBlockById",
				BytesMessage.encode(BytesMessage.create({ value })),
			);
		};
		expect(await ask(100)).toHaveProperty("answer");
		expect(await ask(101)).toMatchObject({ error });
		await limited.close();
	});

	it("calls wait for their turn where their rate is limited", async () => {
		const limited = await startGrpcNode(
			'rate.limiter.rpc = [{ component = "protocol.Wallet/GetBurnTrx", strategy = QpsRateLimiterAdapter, paramString = "qps=10" }]',
		);
		const started = performance.now();
		// A slow machine lets the permits of up to a second gather meanwhile: ten, and one is there at once.
		for (let i = 0; i < 15; i++) await limited.send("/protocol.Wallet/GetBurnTrx");
		expect(performance.now() - started).toBeGreaterThan(250);
		await limited.close();
	});
});

describe("start and stop", () => {
	it("a port in use stops the start with a sentence", async () => {
		const busy = createServer();
		const port = await new Promise<number>((resolve) => {
			busy.listen(0, "127.0.0.1", () => resolve((busy.address() as { port: number }).port));
		});
		await expect(startGrpcNode(`node.rpc.solidityPort = ${port}`)).rejects.toThrow(
			`port ${port} of the solidity gRPC server is in use`,
		);
		await new Promise((resolve) => busy.close(resolve));
	});

	it("only the servers that are asked for run", async () => {
		const few = await startGrpcNode("node.rpc { solidityEnable = false, PBFTEnable = false }");
		expect(few.ports).toMatchObject({ grpc: expect.any(Number) as number });
		expect(few.ports).not.toHaveProperty("grpcSolidity");
		expect(few.ports).not.toHaveProperty("grpcPbft");
		await few.close();
	});

	it("a connection that stays open doesn't keep the node from stopping", async () => {
		const stopping = await startGrpcNode();
		const client = new Client(`127.0.0.1:${stopping.ports.grpc}`, credentials.createInsecure());
		await new Promise((resolve, reject) => {
			client.waitForReady(Number.POSITIVE_INFINITY, (error) => (error ? reject(error) : resolve(undefined)));
		});
		await stopping.close();
		client.close();
	});

	it("a call under way is still answered", async () => {
		const stopping = await startGrpcNode(
			'rate.limiter.rpc = [{ component = "protocol.Wallet/GetBurnTrx", strategy = QpsRateLimiterAdapter, paramString = "qps=5" }]',
		);
		const first = await stopping.send("/protocol.Wallet/GetBurnTrx");
		const waiting = stopping.send("/protocol.Wallet/GetBurnTrx");
		await stopping.send("/protocol.Wallet/GetNowBlock");
		await Promise.all([stopping.close(), waiting]);
		expect(await waiting).toEqual(first);
	});

	it("the monitor is served where the node counts", async () => {
		const counting = await startGrpcNode("node.metricsEnable = true");
		expect(await counting.call("Monitor/GetStatsInfo")).toMatchObject({
			blockchain: { headBlockNum: 0n },
			node: { version: "4.8.2" },
		});
		await counting.close();
	});

	it("methods are counted as clients spell them", async () => {
		const counting = await startGrpcNode("node.metricsEnable = true");
		await counting.send("/protocol.Wallet/GetBurnTrx");
		const { net } = await counting.call<{ net: { api: { detail: { name: string }[] } } }>(
			"Monitor/GetStatsInfo",
		);
		expect(net.api.detail.map(({ name }) => name)).toContain("protocol.Wallet/GetBurnTrx");
		await counting.close();
	});
});
