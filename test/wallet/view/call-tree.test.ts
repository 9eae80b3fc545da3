import { describe, expect, it } from "vitest";
import type { ContractInterface } from "../../../src/abi/parameter.js";
import { topicOf } from "../../../src/abi/selector.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import { commonInterface } from "../../../src/wallet/abi/signature-list.js";
import { Failure } from "../../../src/wallet/failure.js";
import type { Json, JsonRecord } from "../../../src/wallet/json.js";
import { borrowedCodes, type CallNode, callTree } from "../../../src/wallet/view/call-tree.js";
import { callLines, viewCall } from "../../../src/wallet/view/call-view.js";

const address = (digits: string): string => `0x${digits.repeat(20)}`;

const frame = (more: JsonRecord = {}): JsonRecord => ({
	type: "CALL",
	from: address("aa"),
	to: address("11"),
	gas: "0x64",
	gasUsed: "0x16",
	input: "0x",
	value: "0x0",
	...more,
});

const log = (data: string, position: string): JsonRecord => ({
	address: address("22"),
	topics: [`0x${"09".repeat(32)}`],
	data,
	position,
});

const shape = (call: CallNode): unknown => [
	call.kind,
	toHex(call.to).slice(0, 2),
	call.end,
	Number(call.energy),
	...call.inner.map((entry) => ("topics" in entry ? toHex(entry.data) : shape(entry))),
];

describe("the tree of calls", () => {
	it("puts logs between the calls where they were written", () => {
		const calls = [frame({ to: address("22") }), frame({ to: address("33") })];
		const logs = [log("0xa0", "0x0"), log("0xa1", "0x1"), log("0xa2", "0x2"), log("0xa3", "0x2")];
		expect(shape(callTree(frame({ calls, logs })))).toEqual([
			"CALL",
			"11",
			"success",
			22,
			"a0",
			["CALL", "22", "success", 22],
			"a1",
			["CALL", "33", "success", 22],
			"a2",
			"a3",
		]);
	});

	it("knows whose code ran on the state of another contract, once each", () => {
		const code = (to: string) => frame({ type: "DELEGATECALL", from: address("11"), to: address(to) });
		const calls = [code("22"), code("33"), frame({ from: address("11"), to: address("44") }), code("22")];
		const found = [...borrowedCodes(callTree(frame({ calls })))];
		expect(
			found.map(([key, codes]) => [key.slice(0, 2), codes.map((one) => toHex(one).slice(0, 2))]),
		).toEqual([["11", ["22", "33"]]]);
	});

	it("tells a revert from an end without result", () => {
		const reverted = callTree(frame({ error: "execution reverted", output: "0xabcd" }));
		expect(reverted).toMatchObject({ end: "revert" });
		expect(toHex(reverted.output)).toBe("abcd");
		expect(callTree(frame({ error: "out of it" }))).toMatchObject({ end: "failed", error: "out of it" });
	});

	it("knows whose code was lent, what was sent, and what was done beside calling", () => {
		const lent = callTree(frame({ type: "DELEGATECALL", to: address("22") }));
		expect([lent.from, lent.to, lent.code].map((bytes) => toHex(bytes).slice(0, 2))).toEqual([
			"aa",
			"aa",
			"22",
		]);
		const tokens = { type: "CALLTOKEN", tokenId: "0xf4241", tokenValue: "0x6", penalty: "0x5" };
		expect(callTree(frame(tokens))).toMatchObject({
			token: { id: 1_000_001n, amount: 6n },
			valueSun: 0n,
			penalty: 5n,
		});
		const operations = [{ note: "voteWitness", to: null, value: "0x0" }];
		expect(callTree(frame({ operations })).operations).toEqual([
			{ note: "voteWitness", to: undefined, valueSun: 0n },
		]);
	});

	it("is not made of what is none", () => {
		let deep = frame();
		for (let i = 0; i < 5_000; i++) deep = frame({ calls: [deep] });
		const bad: Json[] = [
			null,
			[],
			"trace",
			frame({ from: "0x1" }),
			frame({ gasUsed: "-1" }),
			frame({ gasUsed: `0x1${"0".repeat(16)}` }),
			frame({ calls: {} }),
			frame({ calls: [7] }),
			frame({ logs: [{ address: 7 }] }),
			frame({ operations: ["vote"] }),
			frame({ type: 5 }),
			deep,
		];
		for (const answer of bad) expect(() => callTree(answer)).toThrow(Failure);
	});
});

describe("a call and a log of a proxy are named", () => {
	const input = `0xa9059cbb${"0".repeat(127)}5`;
	const transferred = topicOf(parseSignature("Transfer(address,address,uint256)", "event"));
	const topics = [`0x${toHex(transferred)}`, `0x${"0".repeat(64)}`, `0x${"0".repeat(64)}`];
	// The code that is lent to a second proxy of it writes in that one's name.
	const logs = [{ ...log(`0x${"0".repeat(63)}5`, "0x0"), topics }];
	const lent = frame({ type: "DELEGATECALL", from: address("11"), to: address("33"), input, logs });
	const tree = callTree(frame({ input, calls: [lent] }));
	/** The names of the values of the call, of the one inside and of its log. */
	const namesIn = async (known: { readonly [digits: string]: ContractInterface }): Promise<string[]> => {
		const of = async (code: Uint8Array) => known[toHex(code.subarray(0, 1))] ?? [];
		const lines = callLines(await viewCall(tree, of, commonInterface()));
		return lines.map((line) => [...line.matchAll(/(\w+): /g)].map(([, name]) => name).join());
	};
	const behind = [
		parseSignature("transfer(address recipient, uint256 amount)"),
		parseSignature("Transfer(address indexed sender, address indexed recipient, uint256 amount)", "event"),
	];

	it("by what is common, where nothing else is known", async () => {
		expect(await namesIn({})).toEqual(["to,value", "to,value", "from,to,value"]);
	});

	it("by the interface of the contract behind it, before what is common", async () => {
		expect(await namesIn({ "33": behind })).toEqual([
			"recipient,amount",
			"recipient,amount",
			"sender,recipient,amount",
		]);
	});

	it("by the interface of the contract in whose name the log is, before what is common", async () => {
		expect((await namesIn({ "22": behind }))[2]).toBe("sender,recipient,amount");
	});
});
