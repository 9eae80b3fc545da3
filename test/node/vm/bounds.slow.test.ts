/** What contracts get cheaply must be cheap to do, and come out as it did when it was done the long way. */

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { wordPower } from "../../../src/node/vm/arithmetic.js";
import type { Gates } from "../../../src/node/vm/gates.js";
import type { Machine } from "../../../src/node/vm/machine.js";
import { modexp } from "../../../src/node/vm/precompiles/modexp.js";
import { isDestination, prepareOnce } from "../../../src/node/vm/program.js";
import { toWord, wordToBytes } from "../../../src/node/vm/word.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { threadMs } from "../../processor-time.js";
import { assemble, creationOf, storeBytes } from "./assembler.js";
import {
	CALLER,
	CONTRACT,
	emptyState,
	latestGates,
	putTestContract,
	runCode,
	runContract,
	version38Gates,
} from "./machine-fixture.js";
import { seededRandom } from "./random.js";

const code = (text: string): string => toHex(assemble(text));
const CALLEE = fromHex(`41${"44".repeat(20)}`);

/** Square and multiply, bit by bit. */
function plainPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
	let result = 1n % modulus;
	let square = base % modulus;
	for (let rest = exponent; rest > 0n; rest >>= 1n) {
		if ((rest & 1n) === 1n) result = (result * square) % modulus;
		square = (square * square) % modulus;
	}
	return result;
}

describe("EXP", () => {
	const word = fc.oneof(
		fc.bigInt({ min: 0n, max: 300n }),
		fc.bigInt({ min: (1n << 32n) - 2n, max: (1n << 32n) + 2n }),
		fc.bigInt({ min: (1n << 64n) - 2n, max: (1n << 64n) + 2n }),
		fc.bigInt({ min: (1n << 66n) - 2n, max: (1n << 66n) + 2n }),
		fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
		fc.bigInt({ min: (1n << 256n) - 5n, max: (1n << 256n) - 1n }),
		fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
	);

	it("is the power, whatever the sizes", () => {
		fc.assert(
			fc.property(word, word, (base, exponent) => {
				expect(wordPower(toWord(base), toWord(exponent))).toBe(
					toWord(plainPower(base, exponent, 1n << 256n)),
				);
			}),
			{ numRuns: 3000 },
		);
	});
});

describe("modexp", () => {
	const machineOf = (gates: Gates): Machine =>
		({ gates, options: { deadlineMs: Number.POSITIVE_INFINITY } }) as Machine;
	const machine = machineOf(latestGates);
	const bytesOf = (value: bigint, length: number): Buffer =>
		Buffer.from(value.toString(16).padStart(2 * length, "0"), "hex");

	it("is the power for moduli and exponents of any length", () => {
		const random = seededRandom(23);
		const number = (length: number): bigint => {
			if (length === 0) return 0n;
			const zeros = random(3) === 0 ? random(length + 1) : 0;
			const bytes = Buffer.from(Array.from({ length }, (_, i) => (i < zeros ? 0 : random(256))));
			return BigInt(`0x${bytes.toString("hex")}`);
		};
		for (let i = 0; i < 1500; i++) {
			const lengths = [
				random(6),
				[1, 2, 8, 9, 31, 300, 700][random(7)] as number,
				1 + random(random(3) === 0 ? 40 : 5),
			];
			const [base, exponent, modulus] = lengths.map(number) as [bigint, bigint, bigint];
			const [b, e, m] = lengths as [number, number, number];
			const input = Buffer.concat([
				...lengths.map((length) => wordToBytes(length)),
				b > 0 ? bytesOf(base, b) : Buffer.alloc(0),
				bytesOf(exponent, e),
				bytesOf(modulus, m),
			]);
			const expected = modulus === 0n ? "" : toHex(bytesOf(plainPower(base, exponent, modulus), m));
			const { output } = modexp.run(input, { machine, caller: CALLER });
			expect(toHex(output), toHex(input)).toBe(expected);
			const later = modexp.run(input, { machine: machineOf(version38Gates), caller: CALLER });
			expect(toHex(later.output), toHex(input)).toBe(modulus === 0n ? "00".repeat(m) : expected);
		}
	});

	it("takes the zeros behind a cut exponent for part of it", () => {
		const input = Buffer.concat([wordToBytes(0), wordToBytes(600), wordToBytes(0)]);
		expect(toHex(modexp.run(input, { machine, caller: CALLER }).output)).toBe("");
	});
});

describe("jump targets", () => {
	it("are found in any order, and not inside pushes", () => {
		const program = prepareOnce(fromHex("605b5b605b5b"));
		expect([5, 2, 0, 1, 4, 3, 6, 1000].map((target) => isDestination(program, target))).toEqual([
			true,
			true,
			false,
			false,
			false,
			false,
			false,
			false,
		]);
	});
});

describe("memory that a call reads", () => {
	it("is the callee's input as it was, whatever the callee's own memory does", async () => {
		const state = await emptyState();
		const target = `0x${toHex(CALLEE.subarray(1))}`;
		putTestContract(
			state,
			CONTRACT,
			code(`0x07 PUSH0 MSTORE 0x20 0x20 0x20 PUSH0 PUSH0 ${target} GAS CALL POP 0x40 PUSH0 RETURN`),
		);
		putTestContract(
			state,
			CALLEE,
			code("0x09 PUSH0 MSTORE PUSH0 CALLDATALOAD PUSH0 MSTORE 0x20 PUSH0 RETURN"),
		);
		expect(toHex(runContract(state).output)).toBe(toHex(wordToBytes(7)).repeat(2));
	});

	it("stays what identity returned when memory changes afterwards", async () => {
		const frame = await runCode(
			code(
				"0x07 PUSH0 MSTORE PUSH0 PUSH0 0x20 PUSH0 0x04 GAS STATICCALL POP 0x09 PUSH0 MSTORE 0x20 PUSH0 0x20 RETURNDATACOPY 0x40 PUSH0 RETURN",
			),
		);
		expect(toHex(frame.output)).toBe(toHex(wordToBytes(9)) + toHex(wordToBytes(7)));
	});

	it("gives creation code that stays what it was while it runs", async () => {
		const creation = creationOf(assemble("0x07 PUSH0 MSTORE 0x20 PUSH0 RETURN"));
		const frame = await runCode(
			code(
				`${storeBytes(creation)} 0x${creation.length.toString(16)} PUSH0 PUSH0 CREATE 0x20 PUSH0 PUSH0 PUSH0 PUSH0 DUP6 GAS CALL POP 0x20 PUSH0 RETURN`,
			),
		);
		expect(toHex(frame.output)).toBe(toHex(wordToBytes(7)));
	});
});

describe("what moves megabytes for a few units of energy", () => {
	const paid = "0x01 0x2fffe0 MSTORE";
	const again = (body: string): string => `${paid} again: ${body} 0x030d40 GAS GT @again JUMPI STOP`;

	it.each([
		[
			"3 MiB of input for an account that isn't there",
			"PUSH0 PUSH0 0x300000 PUSH0 PUSH0 0x1234567890 GAS CALL POP",
		],
		[
			"3 MiB of input for a precompile that gets no energy",
			"PUSH0 PUSH0 0x300000 PUSH0 0x04 PUSH0 STATICCALL POP",
		],
		["3 MiB of input for a curve", "PUSH0 PUSH0 0x300000 PUSH0 0x01000006 GAS STATICCALL POP"],
		["98,000 votes", "0x017ed0 PUSH0 MSTORE PUSH0 0x017ed0 PUSH0 0x017ed0 VOTEWITNESS POP"],
	])("is done in no time: %s", async (_, body) => {
		const started = threadMs();
		const frame = await runCode(code(again(body)), {
			energy: 19_169_280 + 600_000,
			machine: { listInternal: false },
		});
		const takenMs = threadMs() - started;
		expect(frame.failure).toBeUndefined();
		// Thousands of rounds: a copy of the input in each would take seconds.
		expect(takenMs).toBeLessThan(1500);
	});
});

describe("internal transactions that are not listed", () => {
	it("are counted, and decide addresses as ever", async () => {
		const creation = creationOf(assemble("STOP"));
		const program = code(
			`${storeBytes(creation)} PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 0x77 GAS CALL POP 0x${creation.length.toString(16)} PUSH0 PUSH0 CREATE PUSH0 MSTORE 0x20 PUSH0 RETURN`,
		);
		const listed = await runCode(program);
		const counted = await runCode(program, { machine: { listInternal: false } });
		expect(toHex(counted.output)).toBe(toHex(listed.output));
		expect(listed.machine.internal.length).toBe(2);
		expect(counted.machine.internal.length).toBe(0);
		expect(counted.machine.internal.nonce).toBe(2);
	});
});

describe("failures of frames", () => {
	beforeAll(() => expect(Error.stackTraceLimit).toBeGreaterThan(0));

	it("carry no stack trace, and leave that of others alone", async () => {
		const frame = await runCode("fe");
		expect(frame.failure?.stack).not.toContain("\n    at ");
		expect(new Error("another").stack).toContain("\n    at ");
	});
});
