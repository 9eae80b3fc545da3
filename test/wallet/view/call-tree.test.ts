import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/protocol/bytes.js";
import {
	callTree,
	type RootCall,
	type TracedCall,
	type TraceStep,
	traceSteps,
} from "../../../src/wallet/view/call-tree.js";

const ANN = Buffer.alloc(20, 0xaa);
const ONE = Buffer.alloc(20, 0x11);
const root: RootCall = { kind: "CALL", from: ANN, to: ONE, input: Buffer.alloc(0), valueSun: 0n };
const word = (value: number | bigint | string) =>
	(typeof value === "string" ? value.repeat(20) : BigInt(value).toString(16)).padStart(64, "0");

/** A step: the stack is written from its top. */
function step(
	depth: number,
	op: string,
	energy: number,
	stack: readonly (number | bigint | string)[] = [],
	memory = "",
): TraceStep {
	return {
		depth,
		op,
		energy: BigInt(energy),
		cost: 1n,
		stack: stack.map(word).reverse(),
		memory: memory.match(/.{64}/g) ?? [],
	};
}

const shape = (call: TracedCall): unknown => [
	call.kind,
	toHex(call.to).slice(0, 2),
	call.end,
	Number(call.energy),
	...call.inner.map((entry) =>
		"topics" in entry ? ["LOG", toHex(entry.address).slice(0, 2), toHex(entry.data)] : shape(entry),
	),
];

describe("the tree of calls", () => {
	it("follows calls into contracts and back", () => {
		const tree = callTree(
			root,
			[
				step(1, "CALL", 100, [50, "22", 7, 0, 0, 0, 0]),
				step(2, "LOG1", 40, [31, 1, 9], `${"00".repeat(31)}ab`),
				step(2, "STOP", 39),
				step(1, "RETURN", 80, [1], word(1)),
				step(1, "STOP", 79),
			],
			false,
		);
		expect(shape(tree)).toEqual([
			"CALL",
			"11",
			"success",
			22,
			["CALL", "22", "success", 20, ["LOG", "22", "ab"]],
		]);
	});

	it("tells a revert, an end without result, and a caller that ended with its call", () => {
		const call = (to: string) => [50, to, 0, 0, 0, 0, 0];
		const steps = [
			step(1, "CALL", 100, call("22")),
			step(2, "REVERT", 40, [0, 32], word(5)),
			step(1, "CALL", 80, [...call("33")].slice(0, 7)),
			step(2, "INVALID", 40),
			step(1, "POP", 30, [0]),
			step(1, "CALL", 29, call("44")),
			step(2, "CALL", 20, call("55")),
			step(3, "JUMP", 10),
		];
		// The reverted call answers 0 to its caller, as the failed one does.
		steps[2] = { ...(steps[2] as TraceStep), stack: [...(steps[2] as TraceStep).stack] };
		const tree = callTree(root, steps, true);
		expect(tree.end).toBe("failed");
		expect(tree.inner.map((entry) => ("end" in entry ? entry.end : ""))).toEqual([
			"success",
			"failed",
			"failed",
		]);
		const revertAnswered = callTree(
			root,
			[steps[0], steps[1], step(1, "ISZERO", 80, [0]), step(1, "STOP", 70)] as TraceStep[],
			false,
		);
		expect(shape(revertAnswered)).toEqual(["CALL", "11", "success", 31, ["CALL", "22", "revert", 20]]);
		expect(toHex((revertAnswered.inner[0] as TracedCall).output)).toBe(word(5));
	});

	it("lends code: whose state is worked on and who counts as caller", () => {
		const tree = callTree(
			root,
			[
				step(1, "DELEGATECALL", 100, [50, "22", 0, 0, 0, 0]),
				step(2, "CALLTOKEN", 90, [50, "33", 6, 1000001, 0, 0, 0, 0]),
				step(3, "STOP", 80),
				step(2, "STOP", 70, [1]),
				step(1, "STOP", 60, [1]),
			],
			false,
		);
		const lent = tree.inner[0] as TracedCall;
		expect([lent.from, lent.to, lent.code].map((address) => toHex(address).slice(0, 2))).toEqual([
			"aa",
			"11",
			"22",
		]);
		const paid = lent.inner[0] as TracedCall;
		expect(paid).toMatchObject({ token: { id: 1_000_001n, amount: 6n }, valueSun: 0n, end: "success" });
		expect(toHex(paid.from).slice(0, 2)).toBe("11");
	});

	it("takes the result of a contract without steps from the caller's memory", () => {
		const tree = callTree(
			root,
			[
				step(1, "STATICCALL", 100, [50, 2, 0, 1, 0, 32], `78${"00".repeat(31)}`),
				step(1, "STOP", 80, [1], "cd".repeat(32)),
			],
			false,
		);
		expect(tree.inner[0]).toMatchObject({ end: "success" });
		expect(toHex((tree.inner[0] as TracedCall).input)).toBe("78");
		expect(toHex((tree.inner[0] as TracedCall).output)).toBe("cd".repeat(32));
	});

	it("knows what a creation made", () => {
		const steps = [
			step(1, "CREATE", 100, [3, 0, 2], `6001${"00".repeat(30)}`),
			step(2, "RETURN", 50, [0, 0]),
			step(1, "STOP", 40, ["77"]),
		];
		expect(shape(callTree(root, steps, false))).toEqual([
			"CALL",
			"11",
			"success",
			61,
			["CREATE", "77", "success", 60],
		]);
		const refused = [steps[0], steps[1], step(1, "STOP", 40, [0])] as TraceStep[];
		expect(callTree(root, refused, false).inner[0]).toMatchObject({ end: "failed", valueSun: 3n });
	});

	it("is one call without steps where there is no code", () => {
		expect(shape(callTree(root, [], false))).toEqual(["CALL", "11", "success", 0]);
		expect(callTree(root, [], true).end).toBe("failed");
	});

	it("takes sizes and places beyond all memory for zeros", () => {
		const huge = 2n ** 255n;
		const tree = callTree(
			root,
			[step(1, "LOG0", 100, [huge, huge]), step(1, "LOG0", 90, [0, 40], "ab".repeat(32))],
			true,
		);
		const [first, second] = tree.inner as unknown as { data: Uint8Array }[];
		expect(first?.data.length).toBe(1024 * 1024);
		expect(toHex(second?.data as Uint8Array)).toBe("ab".repeat(32) + "00".repeat(8));
	});

	it.each([[null], [{}], [{ structLogs: 5 }], [{ structLogs: [{ depth: 1, gas: "x", gasCost: 1 }] }]])(
		"refuses %j",
		(answer) => {
			expect(() => traceSteps(answer as never)).toThrow(expect.objectContaining({ code: "rpc_error" }));
		},
	);
});
