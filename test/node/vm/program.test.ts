import { expect, test } from "vitest";
import { ProgramCache, readOperand } from "../../../src/node/vm/program.js";

const codeOf = (length: number, salt: number): Uint8Array => new Uint8Array(length).fill(salt);

test("programs are kept up to a number and a size, the longest unused dropped first", () => {
	const few = new ProgramCache(2);
	const [first, second] = [few.get(codeOf(10, 1)), few.get(codeOf(10, 2))];
	expect(few.get(codeOf(10, 1))).toBe(first);
	few.get(codeOf(10, 3));
	expect(few.get(codeOf(10, 1))).toBe(first);
	expect(few.get(codeOf(10, 2))).not.toBe(second);

	const small = new ProgramCache(500, 100_000);
	for (let salt = 0; salt < 200; salt++) {
		small.get(codeOf(10_000, salt));
		expect(small.size).toBeLessThanOrEqual(100_000);
	}
	expect(small.size).toBeGreaterThan(50_000);
	// One that is larger than all of them may be is run, and not kept.
	expect(small.get(codeOf(50_000, 1)).code.length).toBe(50_000);
	expect(small.size).toBe(0);
});

test("operands that a program keeps count, also of one that was dropped meanwhile", () => {
	const cache = new ProgramCache(500, 100_000);
	const code = codeOf(1_000, 0x7f);
	const program = cache.get(code);
	const before = cache.size;
	readOperand(program, 0);
	readOperand(program, 33);
	expect(cache.size).toBeGreaterThan(before + 100);
	for (let salt = 0; salt < 20; salt++) cache.get(codeOf(9_000, salt));
	const { size } = cache;
	readOperand(program, 66);
	expect(cache.size).toBe(size);
	// It is found by the same bytes, which somebody holds.
	expect(cache.get(code)).toBe(program);
	const other = cache.get(codeOf(1_000, 0x60));
	for (let at = 0; at < 900; at++) {
		readOperand(other, at);
		expect(cache.size).toBeLessThanOrEqual(100_000);
	}
});
