import { describe, expect, test } from "vitest";
import { TraceBudget, TraceError } from "../../../src/node/tracing/limits.js";
import { StructLog, type StructLogOptions, type TraceStep } from "../../../src/node/tracing/struct-log.js";
import { instructionTableFor } from "../../../src/node/vm/instruction-table.js";
import { opcodes } from "../../../src/node/vm/opcodes.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { assemble } from "../vm/assembler.js";
import { CONTRACT, emptyState, latestGates, putTestContract, runContract } from "../vm/machine-fixture.js";

const OTHER = Uint8Array.of(0x41, ...new Uint8Array(20).fill(0x44));

async function stepsOf(
	code: string,
	{
		bytes = 0,
		other = "STOP",
		...options
	}: Partial<StructLogOptions> & { bytes?: number; other?: string } = {},
): Promise<TraceStep[]> {
	const state = await emptyState();
	putTestContract(state, CONTRACT, toHex(assemble(code)));
	putTestContract(state, OTHER, toHex(assemble(other)));
	const steps: TraceStep[] = [];
	const all = { stack: true, memory: true, storage: true, returnData: true, limit: 1_000 };
	const write = (step: TraceStep): string => {
		steps.push(step);
		return "x".repeat(100);
	};
	const log = new StructLog({ ...all, write, ...options }, new TraceBudget(bytes));
	const instructions = instructionTableFor(opcodes, latestGates).tracing();
	const frame = runContract(state, { energy: 100_000, machine: { observer: log.observer, instructions } });
	// A frame that runs by itself has no machine around it that tells of its end.
	const { failure } = frame;
	const [energyUsed, penalty, output, reverted] = [0n, 0, frame.output, frame.reverted];
	log.observer.closed?.({ depth: 0, energyUsed, penalty, output, reverted, failure });
	return steps;
}

describe("a list of operations", () => {
	test("says of each what it found and what it cost", async () => {
		const steps = await stepsOf("0x2a 0x00 MSTORE 0x07 0x01 SSTORE 0x01 SLOAD STOP");
		expect(steps.map(({ op, cost }) => `${op} ${cost}`)).toEqual([
			"PUSH1 3",
			"PUSH1 3",
			"MSTORE 4",
			"PUSH1 3",
			"PUSH1 3",
			"SSTORE 20000",
			"PUSH1 3",
			"SLOAD 50",
			"STOP 0",
		]);
		expect(steps[2]).toMatchObject({ stack: [42, 0], memory: [], pc: 4, depth: 1, energy: 99_994n });
		expect(steps[3]?.memory).toEqual(["2a".padStart(64, "0")]);
		const [slot, value] = ["1", "7"].map((digit) => digit.padStart(64, "0")) as [string, string];
		expect(steps[4]?.storage).toEqual({});
		expect(steps[5]?.storage).toEqual({ [slot]: value });
		expect(steps[7]?.storage).toEqual({ [slot]: value });
	});

	test("counts what is given on to a call as its cost, and shows what came back", async () => {
		const code = `0x00 0x00 0x00 0x00 0x00 0x${toHex(OTHER.subarray(1))} 0x03e8 CALL STOP`;
		const steps = await stepsOf(code, { other: "0x20 0x00 RETURN" });
		const call = steps.find(({ op }) => op === "CALL");
		expect(call).toMatchObject({ cost: 1_040n, depth: 1 });
		expect(steps.filter(({ depth }) => depth === 2).map(({ op }) => op)).toEqual([
			"PUSH1",
			"PUSH1",
			"RETURN",
		]);
		expect(steps.at(-1)?.returnData).toHaveLength(32);
	});

	test("says at which operation a frame failed, and shows no storage of it", async () => {
		const steps = await stepsOf("0x01 0x00 SSTORE 0x03 JUMP");
		expect(steps.at(-1)).toMatchObject({ op: "JUMP", error: expect.stringContaining("JUMPDEST") });
		const short = await stepsOf(
			`${"0x01 0x01 SSTORE 0x02 0x02 SSTORE ".repeat(1)} 0x03 0x03 SSTORE 0x04 0x04 SSTORE 0x05 0x05 SSTORE 0x06 0x06 SSTORE`,
		);
		const last = short.at(-1);
		expect(last).toMatchObject({ op: "SSTORE", error: expect.stringContaining("Not enough energy") });
		expect(Object.keys(last?.storage ?? {})).toHaveLength(4);
	});

	test("has only what was asked for", async () => {
		const none = { stack: false, memory: false, storage: false, returnData: false };
		const [step] = await stepsOf("0x01 SLOAD STOP", none);
		expect(step).toMatchObject({ stack: undefined, memory: undefined, storage: undefined });
		expect(await stepsOf("0x01 0x02 ADD STOP", { limit: 2 })).toHaveLength(2);
	});

	test("ends where it gets too long", async () => {
		await expect(stepsOf("0x01 POP 0x01 POP STOP", { bytes: 400 })).rejects.toThrow(TraceError);
	});
});
