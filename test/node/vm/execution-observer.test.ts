import { describe, expect, test } from "vitest";
import type { ExecutionObserver } from "../../../src/node/vm/execution-observer.js";
import { instructionTableFor } from "../../../src/node/vm/instruction-table.js";
import { opcodes } from "../../../src/node/vm/opcodes.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { assemble } from "./assembler.js";
import {
	CONTRACT,
	emptyState,
	latestGates,
	putTestAccount,
	putTestContract,
	type RunOptions,
	runContract,
} from "./machine-fixture.js";

const OTHER = Uint8Array.of(0x41, ...new Uint8Array(20).fill(0x44));
const PLAIN = Uint8Array.of(0x41, ...new Uint8Array(20).fill(0x55));
const target = (address: Uint8Array): string => `0x${toHex(address.subarray(1))}`;

/** What was told, a line each. */
async function heard(code: string, other = "STOP", options: RunOptions = {}): Promise<string[]> {
	const state = await emptyState();
	putTestContract(state, CONTRACT, toHex(assemble(code)));
	putTestContract(state, OTHER, toHex(assemble(other)));
	putTestAccount(state, PLAIN);
	const lines: string[] = [];
	const observer: ExecutionObserver = {
		opened: ({ kind, depth, code, input }) =>
			void lines.push(`${depth} ${kind} ${toHex(code).slice(-2)} ${input.length}`),
		closed: ({ depth, energyUsed, output, reverted, failure }) =>
			void lines.push(
				`${depth} end ${energyUsed} ${output.length}${reverted ? " reverted" : ""}${failure ? ` ${failure.message}` : ""}`,
			),
		logged: (frame, { topics }) => void lines.push(`${frame.context.depth} log ${topics.length}`),
		noted: (frame, { note }) => void lines.push(`${frame.context.depth} ${note}`),
	};
	runContract(state, { ...options, machine: { observer } });
	return lines;
}

const call = (address: string, value = "0x00"): string => `0x00 0x00 0x04 0x00 ${value} ${address} GAS CALL`;

describe("an observer", () => {
	test("is told of calls, their logs and how they end", async () => {
		expect(await heard(call(target(OTHER)), "0x01 0x00 0x00 LOG1 0x20 0x00 RETURN")).toEqual([
			"1 CALL 44 4",
			"1 log 1",
			expect.stringMatching(/^1 end \d+ 32$/),
		]);
		expect(await heard(call(target(OTHER)), "0x08 0x00 REVERT")).toEqual([
			"1 CALL 44 4",
			expect.stringMatching(/^1 end \d+ 8 reverted$/),
		]);
	});

	test("is told that a call failed, with all that it could spend", async () => {
		expect(await heard(call(target(OTHER)), "ADD", { energy: 100_000 })).toEqual([
			"1 CALL 44 4",
			expect.stringMatching(/^1 end 9\d{4} 0 Expected stack size 2 but actual 0;$/),
		]);
	});

	test("is told of calls that run no code here", async () => {
		expect(await heard(call(target(PLAIN)))).toEqual(["1 CALL 55 4", "1 end 0 0"]);
		expect(await heard(call(target(PLAIN), "0x01"))).toEqual([
			"1 CALL 55 4",
			"1 end 0 0 insufficient balance for transfer",
		]);
		expect(await heard("0x00 0x00 0x20 0x00 0x02 GAS STATICCALL")).toEqual([
			"1 STATICCALL 02 32",
			"1 end 72 32",
		]);
		expect(await heard("0x00 0x00 0x20 0x00 0x02 0x05 STATICCALL")).toEqual([
			"1 STATICCALL 02 32",
			"1 end 5 0 out of energy in a precompiled contract",
		]);
	});

	test("is told of creations, also of those that don't begin", async () => {
		expect(await heard("0x00 0x00 0x00 CREATE")).toEqual([
			expect.stringMatching(/^1 CREATE [0-9a-f]{2} 0$/),
			"1 end 0 0",
		]);
		expect(await heard("0x00 0x00 0x01 CREATE")).toEqual([
			"1 CREATE  0",
			"1 end 0 0 insufficient balance for transfer",
		]);
		expect(await heard("0x07 0x00 0x00 0x00 CREATE2")).toEqual([
			expect.stringMatching(/^1 CREATE2 [0-9a-f]{2} 0$/),
			"1 end 0 0",
		]);
	});

	test("is told of the end of a contract", async () => {
		expect(await heard(`${target(PLAIN)} SUICIDE`)).toEqual(["0 suicide"]);
	});

	test("leaves the memory as it was where a call doesn't begin", async () => {
		// The input of such a call is never used: MSIZE is what it was.
		const code = "0x00 0x00 0x04 0x40 0x01 0x02 GAS CALL POP MSIZE 0x00 MSTORE 0x20 0x00 RETURN";
		const sizes = await Promise.all(
			[{ opened: () => {} }, undefined].map(async (observer) => {
				const state = await emptyState();
				putTestContract(state, CONTRACT, toHex(assemble(code)));
				return toHex(runContract(state, observer ? { machine: { observer } } : {}).output);
			}),
		);
		expect(sizes).toEqual(["00".repeat(32), "00".repeat(32)]);
	});

	test("is told of the call that was too deep", async () => {
		const lines = await heard("0x00 0x00 0x00 0x00 0x00 ADDRESS GAS CALL", "STOP", { energy: 10_000_000 });
		expect(lines.filter((line) => line.includes(" CALL "))).toHaveLength(65);
		expect(lines[65]).toBe("65 end 0 0 max call depth exceeded");
	});

	test("sees operations where the instructions are tracing ones", async () => {
		const state = await emptyState();
		putTestContract(state, CONTRACT, toHex(assemble("0x01 0x02 ADD POP STOP")));
		const steps: string[] = [];
		const observer: ExecutionObserver = {
			step: (frame, operation, pc, height) =>
				void steps.push(`${pc} ${operation} ${height} ${frame.remaining}`),
		};
		const instructions = instructionTableFor(opcodes, latestGates);
		runContract(state, { energy: 100, machine: { observer, instructions: instructions.tracing() } });
		expect(steps).toEqual(["0 PUSH1 0 100", "2 PUSH1 1 97", "4 ADD 2 94", "5 POP 1 91", "6 STOP 0 89"]);
	});
});
