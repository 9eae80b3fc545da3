import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/protocol/bytes.js";
import { Failure } from "../../../src/wallet/failure.js";
import type { Json, JsonRecord } from "../../../src/wallet/json.js";
import { type CallNode, callTree } from "../../../src/wallet/view/call-tree.js";

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
