/** The JSON-RPC servers over whole nodes; what recordings hold is replayed elsewhere. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { JsonTextError } from "../../../../src/node/api/jsonrpc/json-reader.js";
import { methods } from "../../../../src/node/api/jsonrpc/method-table.js";
import { decodeBodyText } from "../../../../src/node/api/jsonrpc/server.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { type Answer, GENESIS_MS, type HttpNode, NOW_MS, POOR, RICH, startHttpNode } from "../http-node.js";

const bare = (address: Uint8Array): string => `0x${toHex(address.subarray(1))}`;

const ENABLED = `node.jsonrpc {
	httpFullNodeEnable = true, httpFullNodePort = 0
	httpSolidityEnable = true, httpSolidityPort = 0
	httpPBFTEnable = true, httpPBFTPort = 0
}`;

let node: HttpNode;
let neutral: HttpNode;

beforeAll(async () => {
	node = await startHttpNode(`${ENABLED}
		node.jsonrpc { maxMessageSize = 4096, maxBatchSize = 3 }
		rate.limiter.http = []`);
	neutral = await startHttpNode(`${ENABLED}
		node.dialect = "neutral"`);
});

afterAll(async () => {
	await node.close();
	await neutral.close();
});

type Server = "jsonrpc" | "jsonrpcSolidity" | "jsonrpcPbft";

const SERVERS: readonly Server[] = ["jsonrpc", "jsonrpcSolidity", "jsonrpcPbft"];

interface Reply {
	readonly result?: unknown;
	readonly error?: { readonly code: number; readonly message: string | null; readonly data?: unknown };
}

async function call(
	method: string,
	params: readonly unknown[] = [],
	server: Server = "jsonrpc",
	at: HttpNode = node,
): Promise<Reply> {
	const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
	return (await at.ask("/jsonrpc", { server, body })).json as Reply;
}

const post = (body: string | Uint8Array, path = "/jsonrpc"): Promise<Answer> =>
	node.ask(path, { server: "jsonrpc", body });

describe("the server", () => {
	test("answers with its own type and the length of the answer", async () => {
		const answer = await post('{"id":1,"method":"eth_chainId"}');
		expect(answer).toMatchObject({
			status: 200,
			type: "application/json-rpc",
			headers: { "content-length": String(Buffer.byteLength(answer.text)) },
		});
		expect(answer.text).toMatch(/^\{"jsonrpc":"2\.0","id":1,"result":"0x[0-9a-f]{8}"\}\n$/);
	});

	test("answers a notification with nothing", async () => {
		expect(await post('{"method":"eth_chainId"}')).toMatchObject({
			status: 200,
			type: "application/json-rpc",
			headers: { "content-length": "0" },
			text: "",
		});
	});

	test.each<[string, string, number]>([
		["GET", "/jsonrpc", 405],
		["HEAD", "/jsonrpc", 405],
		["PUT", "/jsonrpc", 405],
		["DELETE", "/jsonrpc", 405],
		["PATCH", "/jsonrpc", 501],
		["POST", "/jsonrpc/", 405],
		["POST", "/", 405],
		["POST", "/wallet/getnowblock", 405],
		["GET", "/", 404],
		["GET", "/wallet/getnowblock", 404],
	])("answers %s %s with %s", async (method, path, status) => {
		expect((await node.ask(path, { server: "jsonrpc", method })).status).toBe(status);
	});

	test("names its methods", async () => {
		const answer = await node.ask("/jsonrpc", { server: "jsonrpc", method: "OPTIONS" });
		expect(answer).toMatchObject({ status: 200, text: "", headers: { allow: "POST, TRACE, OPTIONS" } });
	});

	test("reads UTF-16, and no bytes that are no text", async () => {
		const request = '{"id":"é","method":"eth_accounts"}';
		expect((await post(Buffer.from(request, "utf16le"))).json).toMatchObject({ id: "é", result: [] });
		expect((await post(Buffer.from([0x7b, 0xff]))).json).toMatchObject({ error: { code: -32700 } });
	});

	test("refuses a body that is too long, and a batch of too many calls", async () => {
		expect((await post(" ".repeat(4096))).status).toBe(200);
		expect((await post(" ".repeat(4097))).status).toBe(413);
		// Before path and method.
		expect((await post(" ".repeat(4097), "/nowhere")).status).toBe(413);
		const put = { server: "jsonrpc", method: "PUT", body: " ".repeat(4097) } as const;
		expect((await node.ask("/jsonrpc", put)).status).toBe(413);
		const one = '{"id":1,"method":"eth_accounts"}';
		expect(JSON.parse((await post(`[${one},${one},${one}]`)).text)).toHaveLength(3);
		expect((await post(`[${one},${one},${one},${one}]`)).json).toMatchObject([{ error: { code: -32005 } }]);
	});

	test("takes no call where it isn't enabled", async () => {
		const without = await startHttpNode();
		expect(Object.keys(without.ports)).toEqual(["full", "solidity", "pbft"]);
		await without.close();
	});
});

describe("the methods", () => {
	test("have one name each", () => {
		const names = methods.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
		expect(new Set(names).size).toBe(names.length);
	});

	test.each<[string, readonly unknown[], unknown]>([
		["eth_blockNumber", [], "0x0"],
		["getLatestBlockNum", [], "0x0"],
		["eth_gasPrice", [], "0x64"],
		["eth_syncing", [], false],
		["net_listening", [], false],
		["net_peerCount", [], "0x0"],
		["eth_mining", [], false],
		["eth_getBalance", [bare(RICH), "latest"], `0x${(95_000_000_000_000_000n).toString(16)}`],
		["eth_getBalance", [`0x${toHex(RICH)}`, "LATEST"], `0x${(95_000_000_000_000_000n).toString(16)}`],
		["eth_getCode", [bare(RICH), "latest"], "0x"],
		["eth_getStorageAt", [bare(RICH), "0x0", "latest"], `0x${"00".repeat(32)}`],
		["eth_getBlockTransactionCountByNumber", ["earliest"], "0x3"],
		["eth_getTransactionReceipt", [`0x${"22".repeat(32)}`], null],
		["eth_getLogs", [{ fromBlock: "0x0" }], []],
	])("%s %j", async (method, params, result) => {
		for (const server of SERVERS) {
			const reply = await call(method, params, server);
			if (server === "jsonrpcPbft" && method === "eth_getLogs") {
				expect(reply.error).toEqual({
					code: -32601,
					message: "the method eth_getLogs does not exist/is not available in PBFT",
					data: "{}",
				});
			} else expect(reply).toEqual({ jsonrpc: "2.0", id: 1, result });
		}
	});

	test.each<[unknown, unknown]>([
		["earliest", null],
		["0x0", null],
		["0x63", null],
		[`0x${"22".repeat(32)}`, null],
		[5, null],
		["nonsense", -32602],
		["pending", -32602],
		[null, -32602],
		[{}, -32700],
	])("eth_getBlockReceipts of %j", async (block, outcome) => {
		const reply = await call("eth_getBlockReceipts", [block]);
		if (outcome === null) expect(reply.result).toBeNull();
		else expect(reply.error?.code).toBe(outcome);
	});

	test("of later releases are not found in earlier ones", async () => {
		const earlier = await startHttpNode(`${ENABLED}
			node.release = 4.8.0`);
		expect((await call("eth_getBlockReceipts", ["latest"], "jsonrpc", earlier)).error).toEqual({
			code: -32601,
			message: "method not found",
		});
		const object = { from: bare(RICH), to: bare(POOR), input: "0x" };
		expect((await call("eth_call", [object, "latest"], "jsonrpc", earlier)).error?.code).toBe(-32700);
		await earlier.close();
	});

	test("eth_coinbase knows no address on a node that only follows", async () => {
		expect((await call("eth_coinbase")).error).toEqual({
			code: -32000,
			message: "etherbase must be explicitly specified",
			data: "{}",
		});
	});

	test("web3_clientVersion has four parts in either spelling", async () => {
		expect((await call("web3_clientVersion")).result).toMatch(/^TRON\/v4\.8\.2\/\w+\/Node\d+$/);
		const { result } = await call("web3_clientVersion", [], "jsonrpc", neutral);
		expect(result).toMatch(/^COIN\/v4\.8\.2\/\w+\/Node\d+$/);
	});

	test("a filter belongs to its server", async () => {
		const { result: id } = await call("eth_newBlockFilter");
		expect(await call("eth_getFilterChanges", [id])).toMatchObject({ result: [] });
		expect((await call("eth_getFilterChanges", [id], "jsonrpcSolidity")).error?.message).toBe(
			"filter not found",
		);
		expect(await call("eth_uninstallFilter", [id])).toMatchObject({ result: true });
	});

	test("the block object of the genesis block has no miner", async () => {
		const { result } = await call("eth_getBlockByNumber", ["0x0", true]);
		expect(result).toMatchObject({
			miner: `0x${"00".repeat(20)}`,
			timestamp: `0x${(GENESIS_MS / 1000n).toString(16)}`,
			transactions: [{ from: `0x${"00".repeat(20)}`, v: "0x00", transactionIndex: "0x0" }, {}, {}],
		});
	});
});

describe("buildTransaction", () => {
	const transfer = { from: bare(RICH), to: bare(POOR), value: "0x5" };

	interface Built {
		readonly transaction: {
			readonly raw_data: {
				readonly timestamp: number;
				readonly fee_limit?: number;
				readonly contract: readonly {
					readonly type: string;
					readonly Permission_id?: number;
					readonly parameter: { readonly value: Record<string, unknown> };
				}[];
			};
			readonly visible?: boolean;
			readonly contract_address?: string;
		};
	}

	async function built(object: Record<string, unknown>, at: HttpNode = node): Promise<Built["transaction"]> {
		const { result } = await call("buildTransaction", [object], "jsonrpc", at);
		return (result as Built).transaction;
	}

	test("builds a transfer for the time of the node's clock", async () => {
		const transaction = await built({ ...transfer, permissionId: 2 });
		expect(transaction).toMatchObject({ visible: false, raw_data: { timestamp: Number(NOW_MS) } });
		expect(transaction.raw_data.contract).toMatchObject([
			{
				type: "TransferContract",
				Permission_id: 2,
				parameter: { value: { amount: 5, owner_address: toHex(RICH), to_address: toHex(POOR) } },
			},
		]);
	});

	test("takes gas as energy and shows the address of a deployment", async () => {
		const transaction = await built({ from: bare(RICH), data: "0x6000", gas: "0x10", name: "n" });
		expect(transaction.raw_data.fee_limit).toBe(1600);
		expect(transaction.contract_address).toMatch(/^41[0-9a-f]{40}$/);
		expect(transaction.raw_data.contract[0]?.parameter.value).toMatchObject({
			new_contract: { bytecode: "6000", name: "n", abi: {} },
		});
	});

	test.each<[Record<string, unknown>, number, string]>([
		[{ ...transfer, from: "0x12" }, -32600, "invalid json request"],
		[{ ...transfer, value: "" }, -32600, "invalid json request"],
		[{ ...transfer, value: "5" }, -32602, "invalid param value: invalid hex number"],
		[{ ...transfer, to: "0x12" }, -32602, "invalid address"],
		[{ ...transfer, to: bare(RICH) }, -32600, "Cannot transfer TRX to yourself."],
		[
			{ ...transfer, extraData: "0xzz" },
			-32000,
			"exception decoding Hex string: invalid characters encountered in Hex string",
		],
		[{ from: bare(RICH) }, -32600, "invalid json request"],
		[
			{ from: bare(RICH), data: "0x60", consumeUserResourcePercent: 101 },
			-32600,
			"percent must be >= 0 and <= 100",
		],
	])("refuses %j", async (object, code, message) => {
		expect((await call("buildTransaction", [object])).error).toEqual({ code, message, data: "{}" });
	});

	test("refuses in the neutral spelling where the node speaks it", async () => {
		const reply = await call("buildTransaction", [{ ...transfer, to: bare(RICH) }], "jsonrpc", neutral);
		expect(reply.error?.message).toBe("Cannot transfer COIN to yourself.");
	});

	test("is served by the full node alone", async () => {
		for (const [server, where] of [
			["jsonrpcSolidity", "SOLIDITY"],
			["jsonrpcPbft", "PBFT"],
		] as const) {
			expect((await call("buildTransaction", [null], server)).error?.message).toBe(
				`the method buildTransaction does not exist/is not available in ${where}`,
			);
		}
	});
});

const TEXT = '{"é":"€𝄞"}';

function utf32(text: string, littleEndian: boolean): Buffer {
	const codes = [...text].map((ch) => ch.codePointAt(0) as number);
	const bytes = Buffer.alloc(4 * codes.length);
	for (const [i, code] of codes.entries()) {
		if (littleEndian) bytes.writeUInt32LE(code, 4 * i);
		else bytes.writeUInt32BE(code, 4 * i);
	}
	return bytes;
}

const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

describe("the text of a body", () => {
	test.each<[string, Buffer]>([
		["UTF-8", Buffer.from(TEXT)],
		["UTF-8 with a mark", Buffer.from(`\ufeff${TEXT}`)],
		["UTF-16 little-endian", Buffer.from(TEXT, "utf16le")],
		["UTF-16 little-endian with a mark", Buffer.from(`\ufeff${TEXT}`, "utf16le")],
		["UTF-16 big-endian", utf16be(TEXT)],
		["UTF-16 big-endian with a mark", utf16be(`\ufeff${TEXT}`)],
		["UTF-32 little-endian", utf32(TEXT, true)],
		["UTF-32 big-endian", utf32(TEXT, false)],
		["UTF-32 big-endian with a mark", utf32(`\ufeff${TEXT}`, false)],
	])("is found in %s", (_name, bytes) => {
		expect(decodeBodyText(bytes)).toBe(TEXT);
	});

	test.each<[string, Buffer]>([
		["no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
		["a character beyond Unicode", Buffer.from([0, 0, 0, 0x22, 0, 0x11, 0, 0])],
	])("is refused: %s", (_name, bytes) => {
		expect(() => decodeBodyText(bytes)).toThrow(JsonTextError);
	});

	test("of no bytes is empty", () => {
		expect(decodeBodyText(new Uint8Array(0))).toBe("");
	});
});
