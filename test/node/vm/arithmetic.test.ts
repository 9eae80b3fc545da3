import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as math from "../../../src/node/vm/arithmetic.js";
import { toWord, type Word } from "../../../src/node/vm/word.js";

const MOD = 1n << 256n;
const signed = (value: bigint): bigint => BigInt.asIntN(256, value);
const unsigned = (value: bigint): bigint => BigInt.asUintN(256, value);
const bit = (condition: boolean): bigint => (condition ? 1n : 0n);

/** Words of every size, with the values where the two forms meet. */
const word = fc.oneof(
	fc.bigInt({ min: 0n, max: 300n }),
	fc.bigInt({ min: (1n << 31n) - 3n, max: (1n << 31n) + 3n }),
	fc.bigInt({ min: (1n << 32n) - 3n, max: (1n << 32n) + 3n }),
	fc.bigInt({ min: (1n << 53n) - 5n, max: (1n << 53n) + 5n }),
	fc.bigInt({ min: (1n << 255n) - 3n, max: (1n << 255n) + 3n }),
	fc.bigInt({ min: MOD - 300n, max: MOD - 1n }),
	fc.bigInt({ min: 0n, max: MOD - 1n }),
);

type Operation = (a: Word, b: Word) => Word;
type Rule = (a: bigint, b: bigint) => bigint;

const binaryRules: readonly (readonly [Operation, Rule])[] = [
	[math.add, (a, b) => unsigned(a + b)],
	[math.sub, (a, b) => unsigned(a - b)],
	[math.mul, (a, b) => unsigned(a * b)],
	[math.div, (a, b) => (b === 0n ? 0n : a / b)],
	[math.mod, (a, b) => (b === 0n ? 0n : a % b)],
	[math.sdiv, (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b)))],
	[math.smod, (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b)))],
	[math.lt, (a, b) => bit(a < b)],
	[math.gt, (a, b) => bit(a > b)],
	[math.slt, (a, b) => bit(signed(a) < signed(b))],
	[math.sgt, (a, b) => bit(signed(a) > signed(b))],
	[math.eq, (a, b) => bit(a === b)],
	[math.and, (a, b) => a & b],
	[math.or, (a, b) => a | b],
	[math.xor, (a, b) => a ^ b],
	[math.byte, (i, a) => (i >= 32n ? 0n : (a >> (8n * (31n - i))) & 0xffn)],
	[math.shl, (n, a) => (n >= 256n ? 0n : unsigned(a << n))],
	[math.shr, (n, a) => (n >= 256n ? 0n : a >> n)],
	[math.sar, (n, a) => unsigned(signed(a) >> (n > 256n ? 256n : n))],
	[math.signextend, (k, a) => (k >= 31n ? a : unsigned(BigInt.asIntN(Number(8n * (k + 1n)), a)))],
];

describe("the machine's arithmetic", () => {
	it.each(binaryRules.map(([operation, rule]) => [operation.name, operation, rule] as const))(
		"computes %s as big integers do, in the one form of the result",
		(_, operation, rule) => {
			fc.assert(
				fc.property(word, word, (a, b) => {
					expect(operation(toWord(a), toWord(b))).toBe(toWord(rule(a, b)));
				}),
				{ numRuns: 400 },
			);
		},
	);

	it("adds and multiplies modulo a third word without losing the carry", () => {
		fc.assert(
			fc.property(word, word, word, (a, b, m) => {
				expect(math.addmod(toWord(a), toWord(b), toWord(m))).toBe(toWord(m === 0n ? 0n : (a + b) % m));
				expect(math.mulmod(toWord(a), toWord(b), toWord(m))).toBe(toWord(m === 0n ? 0n : (a * b) % m));
			}),
		);
	});

	it.each([
		[0n, 0n, 1n],
		[2n, 256n, 0n],
		[3n, 160n, unsigned(3n ** 160n)],
		[MOD - 1n, 3n, MOD - 1n],
		[10n, 18n, 10n ** 18n],
	])("raises %s to %s modulo 2^256", (base, exponent, result) => {
		expect(math.wordPower(toWord(base), toWord(exponent))).toBe(toWord(result));
	});

	it("counts the zeros before the highest bit of every word", () => {
		expect(math.clz(0)).toBe(256);
		for (let bits = 0; bits < 256; bits++) {
			const lowest = 1n << BigInt(bits);
			for (const value of [lowest, 2n * lowest - 1n]) expect(math.clz(toWord(value))).toBe(255 - bits);
		}
	});

	it("inverts every bit, and tells zero", () => {
		expect(math.not(0)).toBe(MOD - 1n);
		expect(math.not(MOD - 1n)).toBe(0);
		expect(math.iszero(0)).toBe(1);
		expect(math.iszero(MOD - 1n)).toBe(0);
	});
});
