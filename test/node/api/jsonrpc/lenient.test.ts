/** JSON-RPC as Ethereum's libraries expect it, on a network's node that is told to; and that others stay strict. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toHex } from "../../../../src/protocol/bytes.js";
import { type HttpNode, POOR, RICH, startHttpNode } from "../http-node.js";

const ENABLED = `node.jsonrpc {
	httpFullNodeEnable = true, httpFullNodePort = 0
	httpSolidityEnable = true, httpSolidityPort = 0
}`;
const bare = (address: Uint8Array): string => `0x${toHex(address.subarray(1))}`;
const [rich, poor] = [bare(RICH), bare(POOR)];
const ZERO_ROOT = `0x${"00".repeat(32)}`;

let lenient: HttpNode;
let strict: HttpNode;
beforeAll(async () => {
	lenient = await startHttpNode(`${ENABLED}\nnode.jsonrpc.lenient = true`);
	strict = await startHttpNode(ENABLED);
});
afterAll(() => Promise.all([lenient.close(), strict.close()]));

interface Reply {
	readonly id: unknown;
	readonly result?: unknown;
	readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

async function call(method: string, params: readonly unknown[] = [], node = lenient): Promise<Reply> {
	const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
	return (await node.ask("/jsonrpc", { server: "jsonrpc", body })).json as unknown as Reply;
}

const result = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
	const { result: found, error } = await call(method, params);
	expect(error).toBeUndefined();
	return found;
};

describe("a lenient node", () => {
	it.each([
		["eth_getTransactionCount", [rich, "pending"], "0x0"],
		["eth_getTransactionCount", [rich], "0x0"],
		["eth_getCode", [poor], "0x"],
		["eth_call", [{ to: poor, input: "0x01", chainId: "0x1", type: "0x2" }], "0x"],
		["eth_estimateGas", [{ from: rich, to: poor }, "latest"], "0x0"],
		["eth_estimateGas", [{ from: rich, to: poor, value: "0x1", accessList: [] }, "latest", {}], "0x0"],
		["eth_getBlockTransactionCountByNumber", ["pending"], expect.stringMatching(/^0x/)],
	])("answers %s %j", async (method, params, expected) => {
		expect(await result(method, params)).toEqual(expected);
	});

	it.each(["latest", "pending", "safe", "finalized", "0x0", { blockNumber: "0x0" }])(
		"reads the state of %j",
		async (tag) => {
			expect(await result("eth_getBalance", [rich, tag])).toBe(await result("eth_getBalance", [rich]));
			expect(await result("eth_getStorageAt", [rich, "0x0", tag])).toBe(ZERO_ROOT);
		},
	);

	it.each(["0x1", "earliest", { blockHash: ZERO_ROOT }, "nonsense"])(
		"refuses the state of %j, which it hasn't",
		async (tag) => {
			const { error } = await call("eth_getBalance", [rich, tag]);
			expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("past blocks") });
		},
	);

	it("shows blocks with all roots, by every tag", async () => {
		for (const tag of ["latest", "pending", "safe", "finalized", "earliest"]) {
			const block = (await result("eth_getBlockByNumber", [tag])) as Record<string, unknown>;
			expect(block).toMatchObject({ number: "0x0", stateRoot: ZERO_ROOT });
			// Senders compare their estimates with it.
			expect(Number(block["gasLimit"])).toBeGreaterThan(1_000_000);
			expect(block["transactionsRoot"]).toMatch(/^0x[0-9a-f]{64}$/);
			const byHash = await result("eth_getBlockByHash", [block["hash"], true]);
			const [first] = (byHash as { transactions: Record<string, unknown>[] }).transactions;
			expect(first).toMatchObject({ nonce: "0x0", r: "0x0", s: "0x0", v: "0x0" });
			expect(first).toHaveProperty("blockTimestamp", block["timestamp"]);
		}
	});

	it("tells fees", async () => {
		const price = await result("eth_gasPrice");
		expect(await result("eth_maxPriorityFeePerGas")).toBe(price);
		expect(await result("eth_feeHistory", ["0x4", "latest", [10, 50]])).toMatchObject({
			oldestBlock: "0x0",
			baseFeePerGas: ["0x0", "0x0"],
			gasUsedRatio: [0],
			reward: [[expect.stringMatching(/^0x/), expect.stringMatching(/^0x/)]],
		});
		expect(await result("eth_feeHistory", [1, "pending"])).not.toHaveProperty("reward");
		expect(await result("eth_feeHistory", ["0xffffffffffffffff", "latest"])).toMatchObject({
			gasUsedRatio: [0],
		});
		for (const params of [["x", "latest"], ["0x1", "0x99"], ["0x1", "latest", Array(101).fill(1)], ["0x1"]]) {
			expect((await call("eth_feeHistory", params)).error).toMatchObject({ code: -32602 });
		}
	});

	it("takes filters with members of other networks", async () => {
		expect(await result("eth_getLogs", [{ fromBlock: "safe", toBlock: "pending", limit: 5 }])).toEqual([]);
		expect(await result("eth_newFilter", [{ address: null, topics: [] }])).toMatch(/^0x/);
	});

	it("takes null among topics for any, in a place of its own and among alternatives", async () => {
		const topic = `0x${"ab".repeat(32)}`;
		for (const topics of [[null], [null, topic], [[null]], [[topic, null], [topic]], null]) {
			expect(await result("eth_getLogs", [{ topics }])).toEqual([]);
			expect(await result("eth_newFilter", [{ topics }])).toMatch(/^0x/);
		}
		const { error } = await call("eth_getLogs", [{ topics: [[null]] }], strict);
		expect(error).toMatchObject({ code: -32602, message: "invalid topic(s): null" });
	});

	it.each(["eth_getFilterChanges", "eth_getFilterLogs", "eth_uninstallFilter"])(
		"says of %s that the id is missing",
		async (method) => {
			for (const params of [[], [null], [""], [7]]) {
				const { error } = await call(method, params);
				expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("id of a filter") });
			}
			expect((await call(method, ["0x12"])).error).toMatchObject({ message: "filter not found" });
		},
	);

	it("keeps the network's form of its chain id in net_version", async () => {
		expect(await result("net_version")).toBe((await call("net_version", [], strict)).result);
	});

	it("refuses what would change the state of a call", async () => {
		const overrides = { [poor]: { balance: "0x1" } };
		const { error } = await call("eth_call", [{ to: poor }, "latest", overrides]);
		expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("overriding") });
	});

	it("answers errors with the id of their call, and without data that says nothing", async () => {
		for (const params of [[[]], ["no hash"]]) {
			const { id, error } = await call("eth_getTransactionByHash", params);
			expect([id, error?.code, error && "data" in error]).toEqual([7, -32602, false]);
		}
	});

	it("tells its chain id without zeros in front", async () => {
		expect(await result("eth_chainId")).toMatch(/^0x[1-9a-f]/);
	});
});

describe("a node that isn't told to", () => {
	it.each([
		["eth_getTransactionCount", [rich, "latest"], -32601],
		["eth_maxPriorityFeePerGas", [], -32601],
		["eth_feeHistory", ["0x1", "latest", []], -32601],
		["eth_estimateGas", [{ from: rich, to: poor, value: "0x1" }, "latest"], -32602],
		["eth_getBlockByNumber", ["pending", false], -32602],
		["eth_getBlockByNumber", ["latest"], -32602],
		["eth_call", [{ to: poor, chainId: "0x1" }, "latest"], -32700],
		["eth_getBalance", [rich, "pending"], -32602],
	])("answers %s %j as the network's", async (method, params, code) => {
		expect((await call(method, params, strict)).error).toMatchObject({ code });
	});

	it("shows an empty root", async () => {
		const { result: block } = await call("eth_getBlockByNumber", ["latest", false], strict);
		expect(block).toMatchObject({ stateRoot: "0x" });
		const { result: full } = await call("eth_getBlockByNumber", ["latest", true], strict);
		const [first] = (full as { transactions: Record<string, unknown>[] }).transactions;
		expect(first).toMatchObject({ r: ZERO_ROOT });
		expect(first).not.toHaveProperty("blockTimestamp");
	});
});
