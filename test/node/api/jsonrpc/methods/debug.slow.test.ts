import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromBase58Check } from "../../../../../src/protocol/address.js";
import { toHex } from "../../../../../src/protocol/bytes.js";
import { assemble } from "../../../vm/assembler.js";
import { DevelopmentNode, type Json, word } from "../../development/development-node.js";

/** Stores 7 in slot 1, logs and returns it; with any data it reverts with 4 bytes. */
const INNER = `CALLDATASIZE @fail JUMPI
	0x07 0x01 SSTORE 0x07 0x00 MSTORE 0x0a 0x20 0x00 LOG1 0x20 0x00 RETURN
	fail: 0x04 0x00 REVERT`;

/** Calls the contract that its data names, without data and with 4 bytes, then a built-in one. */
const OUTER = `0x20 0x00 0x00 0x00 0x05 0x00 CALLDATALOAD GAS CALL POP
	0x00 0x00 0x04 0x00 0x00 0x00 CALLDATALOAD GAS CALL POP
	0x20 0x40 0x20 0x00 0x02 GAS STATICCALL POP
	0x20 0x00 RETURN`;

/** A contract with this code. */
function artifact(code: string) {
	const runtime = toHex(assemble(code));
	const size = (runtime.length / 2).toString(16).padStart(4, "0");
	return { contractName: "Probe", abi: [], bytecode: `61${size}80600c6000396000f3${runtime}` };
}

const bare = (base58: string): string =>
	`0x${toHex(fromBase58Check(base58)?.subarray(1) ?? new Uint8Array(0))}`;

let chain: DevelopmentNode;
let inner: string;
let outer: string;
let input: string;
let id: string;
let block: string;

beforeAll(async () => {
	chain = await DevelopmentNode.start();
	inner = await chain.deploy(artifact(INNER));
	outer = await chain.deploy(artifact(OUTER));
	input = word(BigInt(bare(inner)));
	const body = { contract_address: outer, data: input, fee_limit: 1_000_000_000, call_value: 5 };
	id = `0x${String((await chain.act("triggersmartcontract", body))["txid"])}`;
	block = ((await chain.result("eth_getTransactionByHash", [id])) as { blockNumber: string }).blockNumber;
});
afterAll(() => chain.stop());

const traced = (tracer: string, tracerConfig: object = {}): Promise<unknown> =>
	chain.result("debug_traceTransaction", [id, { tracer, tracerConfig }]);

interface CallFrame {
	readonly type: string;
	readonly gasUsed: string;
	readonly calls: readonly CallFrame[];
	readonly [member: string]: unknown;
}

describe("debug_traceTransaction", () => {
	it("of callTracer is the tree of calls, with logs and what was paid", async () => {
		const frame = (await traced("callTracer", { withLog: true })) as CallFrame;
		const { receipt } = (await chain.info(id.slice(2))) as { receipt: { energy_usage_total: number } };
		expect(Number(frame.gasUsed)).toBe(receipt.energy_usage_total);
		expect(frame).toMatchObject({
			type: "CALL",
			from: `0x${chain.account(0).hex.slice(2)}`,
			to: bare(outer),
			value: "0x5",
			input: `0x${input}`,
			output: `0x${word(7)}`,
			receipt: { result: "SUCCESS", energyPenalty: "0x0" },
		});
		expect(frame.calls).toHaveLength(3);
		expect(frame.calls[0]).toMatchObject({
			type: "CALL",
			to: bare(inner),
			value: "0x5",
			logs: [{ address: bare(inner), topics: [`0x${word(10)}`], data: `0x${word(7)}`, position: "0x0" }],
		});
		expect(frame.calls[1]).toMatchObject({ error: "execution reverted", output: "0x00000000" });
		expect(frame.calls[2]).toMatchObject({ type: "STATICCALL", to: `0x${"0".repeat(39)}2`, gasUsed: "0x48" });
		expect((frame["receipt"] as { internalTransactions: object[] }).internalTransactions).toHaveLength(2);
		const top = (await traced("callTracer", { onlyTopCall: true })) as CallFrame;
		expect(top).toMatchObject({ gasUsed: frame.gasUsed });
		expect(top).not.toHaveProperty("calls");
	});

	it("lists operations in the form of Ethereum's tools, as far as they are asked for", async () => {
		const full = (await chain.result("debug_traceTransaction", [id, { enableMemory: true }])) as {
			gas: number;
			failed: boolean;
			returnValue: string;
			structLogs: { op: string; gas: number; gasCost: number; depth: number; stack: string[] }[];
		};
		expect(full).toMatchObject({ failed: false, returnValue: `0x${word(7)}` });
		expect(full.structLogs[0]).toEqual({
			pc: 0,
			op: "PUSH1",
			gas: expect.any(Number),
			gasCost: 3,
			depth: 1,
			stack: [],
			memory: [],
		});
		const stored = full.structLogs.find(({ op }) => op === "SSTORE");
		expect(stored).toMatchObject({
			depth: 2,
			stack: ["0x7", "0x1"],
			storage: { [`0x${word(1)}`]: `0x${word(7)}` },
		});
		const options = { limit: 5, disableStack: true, disableStorage: true };
		const { structLogs } = (await chain.result("debug_traceTransaction", [id, options])) as typeof full;
		expect(structLogs).toHaveLength(5);
		expect(Object.keys(structLogs[0] as object)).toEqual(["pc", "op", "gas", "gasCost", "depth"]);
	});

	it("of prestateTracer is what was found, and what was changed", async () => {
		const found = (await traced("prestateTracer")) as Record<string, Json>;
		expect(found[bare(inner)]).toMatchObject({
			balance: "0x0",
			code: expect.stringMatching(/^0x36/),
			storage: { [`0x${word(1)}`]: `0x${word(0)}` },
		});
		const { pre, post } = (await traced("prestateTracer", { diffMode: true })) as Record<
			string,
			Record<string, Json>
		>;
		expect(pre?.[bare(inner)]).toMatchObject({
			balance: "0x0",
			storage: { [`0x${word(1)}`]: `0x${word(0)}` },
		});
		expect(post?.[bare(inner)]).toEqual({ balance: "0x5", storage: { [`0x${word(1)}`]: `0x${word(7)}` } });
		expect(post).not.toHaveProperty(bare(outer));
		const plain = (await traced("prestateTracer", {
			disableCode: true,
			disableStorage: true,
		})) as typeof found;
		expect(plain[bare(inner)]).toEqual({ balance: "0x0" });
	});

	it("of 4byteTracer counts selectors, of noopTracer nothing", async () => {
		expect(await traced("4byteTracer")).toEqual({ "0x00000000-28": 1, "0x00000000-0": 1 });
		expect(await traced("noopTracer")).toEqual({});
	});

	it("of a transfer is one call", async () => {
		const to = chain.account(1);
		const paid = await chain.act("createtransaction", { to_address: to.address, amount: 12 });
		const params = [`0x${String(paid["txid"])}`, { tracer: "callTracer" }];
		expect(await chain.result("debug_traceTransaction", params)).toMatchObject({
			type: "CALL",
			to: `0x${to.hex.slice(2)}`,
			value: "0xc",
			gasUsed: "0x0",
			contractType: "TransferContract",
		});
	});

	it("refuses what it doesn't know", async () => {
		for (const options of [
			{ tracer: "noTracer" },
			{ tracer: 1 },
			{ limit: -1 },
			{ timeout: "soon" },
			{ disableStack: "yes" },
			{ tracerConfig: [] },
		]) {
			const { error } = await chain.rpc("debug_traceTransaction", [id, options], "/jsonrpc");
			expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("invalid trace option") });
		}
		const params = [id, { timeout: "0ms", tracer: "callTracer" }];
		expect((await chain.rpc("debug_traceTransaction", params, "/jsonrpc")).error).toMatchObject({
			message: expect.stringContaining("debugTimeoutMs"),
		});
	});
});

describe("debug_traceBlockByNumber and …ByHash", () => {
	it("are the traces of all transactions of a block", async () => {
		const { hash } = (await chain.result("eth_getBlockByNumber", [block, false])) as { hash: string };
		const byNumber = await chain.result("debug_traceBlockByNumber", [block, { tracer: "callTracer" }]);
		expect(byNumber).toEqual([{ txHash: id, result: await traced("callTracer") }]);
		expect(await chain.result("debug_traceBlockByHash", [hash, { tracer: "callTracer" }])).toEqual(byNumber);
		const { error } = await chain.rpc("debug_traceBlockByNumber", ["0xffffff"], "/jsonrpc");
		expect(error?.message).toBe("there is no such block");
	});
});

describe("debug_traceCall", () => {
	const call = () => ({ from: call0(), to: bare(outer), value: "0x5", data: `0x${input}` });

	it("executes a call on the head, or on the state of a block", async () => {
		const diff = { tracer: "prestateTracer", tracerConfig: { diffMode: true } };
		const before = `0x${(Number(block) - 1).toString(16)}`;
		const slot = (value: number) => ({ storage: { [`0x${word(1)}`]: `0x${word(value)}` } });
		expect(await chain.result("debug_traceCall", [call(), before, diff])).toMatchObject({
			post: { [bare(inner)]: slot(7) },
		});
		const now = (await chain.result("debug_traceCall", [call(), "latest", diff])) as { post: Json };
		expect(now.post[bare(inner)]).toEqual({ balance: "0xa" });
		const frame = await chain.result("debug_traceCall", [call(), "latest", { tracer: "callTracer" }]);
		expect(frame).toMatchObject({ output: `0x${word(7)}`, calls: [{}, {}, {}] });
	});

	it("executes a creation, and what has no code", async () => {
		const creation = { from: call().from, data: `0x${artifact(INNER).bytecode}` };
		const options = { tracer: "callTracer" };
		expect(await chain.result("debug_traceCall", [creation, "latest", options])).toMatchObject({
			type: "CREATE",
			input: creation.data,
			output: `0x${toHex(assemble(INNER))}`,
		});
		const plain = { ...call(), to: `0x${"12".repeat(20)}` };
		expect(await chain.result("debug_traceCall", [plain, "latest", options])).toMatchObject({
			gasUsed: "0x0",
		});
	});

	it("executes a call that brings tokens", async () => {
		const bringing = { ...call(), tokenId: "0xf4241", tokenValue: "0x3" };
		const { error } = await chain.rpc("debug_traceCall", [bringing, "latest", {}], "/jsonrpc");
		expect(error?.message).toContain("No asset");
	});

	it("ends at the energy that it is given", async () => {
		const params = [{ ...call(), gas: "0x64" }, "latest", { tracer: "callTracer" }];
		expect(await chain.result("debug_traceCall", params)).toMatchObject({
			gas: "0x64",
			gasUsed: "0x64",
			error: expect.stringContaining("Not enough energy"),
		});
	});
});

describe("trace_transaction, trace_block and trace_filter", () => {
	it("list calls with their place in the tree", async () => {
		const traces = (await chain.result("trace_transaction", [id])) as Json[];
		expect(
			traces.map(({ type, traceAddress, subtraces, error }) => [type, traceAddress, subtraces, error]),
		).toEqual([
			["call", [], 3, undefined],
			["call", [0], 0, undefined],
			["call", [1], 0, "Reverted"],
			["call", [2], 0, undefined],
		]);
		expect(traces[0]).toMatchObject({
			action: { callType: "call", to: bare(outer), value: "0x5" },
			blockNumber: Number(block),
			transactionHash: id,
			transactionPosition: 0,
			result: { output: `0x${word(7)}` },
		});
		expect(await chain.result("trace_block", [block])).toEqual(traces);
		expect(await chain.result("trace_transaction", [`0x${"00".repeat(32)}`])).toBeNull();
		expect(await traced("flatCallTracer")).toEqual(traces);
	});

	it("find calls by who calls and who is called", async () => {
		const range = { fromBlock: block, toBlock: block };
		const search = async (filter: object): Promise<unknown[]> =>
			((await chain.result("trace_filter", [{ ...range, ...filter }])) as Json[]).map(
				({ traceAddress }) => traceAddress,
			);
		expect(await search({ toAddress: [bare(inner)] })).toEqual([[0], [1]]);
		expect(await search({ fromAddress: [bare(outer)] })).toEqual([[0], [1], [2]]);
		const both = { fromAddress: [call0()], toAddress: [bare(inner)] };
		expect(await search(both)).toEqual([[], [0], [1]]);
		expect(await search({ ...both, mode: "intersection" })).toEqual([]);
		expect(await search({ after: 1, count: 2 })).toEqual([[0], [1]]);
		const wide = { fromBlock: "0x1", toBlock: "0x0" };
		expect((await chain.rpc("trace_filter", [wide], "/jsonrpc")).error?.message).toContain("fromBlock");
	});
});

const call0 = (): string => `0x${chain.account(0).hex.slice(2)}`;

describe("the methods", () => {
	it("answer whatever they are asked, and none of it is a fault of the program", async () => {
		const names = [
			"debug_traceTransaction",
			"debug_traceCall",
			"debug_traceBlockByNumber",
			"debug_traceBlockByHash",
			"trace_transaction",
			"trace_block",
			"trace_filter",
		];
		let seed = 20_261_122;
		const random = (below: number): number => {
			seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
			return Math.floor((seed / 2_147_483_648) * below);
		};
		const known = [id, block, "latest", bare(outer), `0x${input}`, "callTracer", "prestateTracer", "5ms"];
		const words = [...known, "", "0x", "0xzz", "-1", "9".repeat(40), "earliest", "pending"];
		const members =
			"tracer tracerConfig limit timeout diffMode withLog to from data value gas fromBlock toBlock".split(
				" ",
			);
		const value = (depth: number): unknown => {
			const kind = random(depth > 3 ? 4 : 8);
			if (kind === 0) return [null, true, false][random(3)];
			if (kind === 1) return [0, -1, 1.5, 1e300, 2 ** 60, 3][random(6)];
			if (kind < 4) return words[random(words.length)];
			if (kind < 5) return Array.from({ length: random(4) }, () => value(depth + 1));
			return Object.fromEntries(
				Array.from({ length: random(5) }, () => [members[random(members.length)], value(depth + 1)]),
			);
		};
		for (let i = 0; i < 250; i++) {
			const name = names[random(names.length)] as string;
			const params = Array.from({ length: random(4) }, () => value(0));
			const answer = await chain.rpc(name, params, "/jsonrpc");
			const told = JSON.stringify({ name, params, error: answer.error });
			if (answer.error) expect(told).not.toMatch(/"code":-3260[13]|"code":-32001|TypeError|undefined/);
			else expect(answer).toHaveProperty("result");
		}
	});
});
