import { expect, test } from "vitest";
import type { MappedCode } from "../../../src/wallet/compiler/mapped-code.js";
import type { CallView } from "../../../src/wallet/view/call-view.js";
import { energyByLine } from "../../../src/wallet/view/energy-lines.js";

const ROOT = "11".repeat(20);
/** Where a program jumps into `down`, does its work, and jumps out of it. */
const [BEGIN, BODY, OUT, END] = [0, 1, 2, 3];

const code = {
	name: "Deep",
	jumpAt: (pc: number) => (pc === OUT ? "o" : pc === BODY || pc === BEGIN ? "i" : "-"),
	lineAt: (pc: number) => ({
		file: "Deep.sol",
		line: pc === END || pc === BEGIN ? 1 : 2,
		text: pc === END || pc === BEGIN ? "go();" : "function down() internal {",
	}),
} as MappedCode;

/** The answer of a node, each operation with one unit of energy. */
const answerWith = (steps: readonly (readonly [pc: number, depth: number])[]) => ({
	structLogs: steps.map(([pc, depth], at) => ({
		pc,
		op: depth > 1 ? "CALL" : "JUMP",
		depth,
		gas: steps.length - at,
		gasCost: 1,
		stack: [ROOT, "0"],
	})),
});

const only = ({ inner = [] }: CallView, kind: string): readonly CallView[] =>
	(inner as readonly CallView[]).filter((each) => each.kind === kind);

test("a function that calls itself often has its energy in itself, and its caller what follows", async () => {
	const times = 100;
	const steps = [
		[BEGIN, 1],
		...Array.from({ length: times - 1 }, () => [BODY, 1]),
		...Array.from({ length: times }, () => [OUT, 1]),
		[END, 1],
		[END, 1],
	] as [number, number][];
	const { tree } = await energyByLine(answerWith(steps), ROOT, async () => code);
	const [call] = only(tree, "CALL");
	expect(call?.energy).toBe(BigInt(steps.length));
	const own = only(call as CallView, "LINE").reduce((sum, { energy }) => sum + energy, 0n);
	expect(own).toBe(3n);
	expect(only(call as CallView, "FUNCTION")[0]?.energy).toBe(BigInt(2 * times - 1));
});

test("calls as deep as an answer may say are counted, whatever a stack of a program holds", async () => {
	const steps = Array.from({ length: 4_998 }, (_, at) => [BEGIN, at + 1] as const);
	const { tree } = await energyByLine(answerWith(steps), ROOT, async () => code);
	let depth = 0;
	for (let at: CallView | undefined = tree; at; at = only(at, "CALL")[0] ?? only(at, "FUNCTION")[0]) depth++;
	expect(depth).toBeGreaterThan(1_000);
	expect(depth).toBeLessThan(1_100);
});
