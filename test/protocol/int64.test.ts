import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	ceilDiv,
	checked,
	checkedAdd,
	checkedMul,
	checkedSub,
	fromDouble,
	MAX_INT64,
	MIN_INT64,
	maxInt,
	minInt,
	OverflowError,
	parseInt64,
	parseWrapped,
	roundDouble,
	toDouble,
	wrap,
} from "../../src/protocol/int64.js";
import { processorMs } from "../processor-time.js";

const int64 = fc.bigInt({ min: MIN_INT64, max: MAX_INT64 });

describe("wrapping", () => {
	test.each([
		[MAX_INT64, MAX_INT64],
		[MAX_INT64 + 1n, MIN_INT64],
		[MIN_INT64 - 1n, MAX_INT64],
		[2n ** 64n, 0n],
		[MAX_INT64 * MAX_INT64, 1n],
		[-(2n ** 64n) - 5n, -5n],
	])("%s is %s", (value, expected) => {
		expect(wrap(value)).toBe(expected);
	});
});

describe("exact operations", () => {
	test("give the result where it fits, and overflow where it doesn't", () => {
		fc.assert(
			fc.property(int64, int64, (a, b) => {
				for (const [operation, result] of [
					[checkedAdd, a + b],
					[checkedSub, a - b],
					[checkedMul, a * b],
				] as const) {
					if (result >= MIN_INT64 && result <= MAX_INT64) expect(operation(a, b)).toBe(result);
					else expect(() => operation(a, b)).toThrow(new OverflowError("long overflow"));
				}
			}),
		);
	});

	test("reach both bounds", () => {
		expect(checkedAdd(MAX_INT64 - 1n, 1n)).toBe(MAX_INT64);
		expect(checkedSub(MIN_INT64 + 1n, 1n)).toBe(MIN_INT64);
		expect(() => checkedMul(MIN_INT64, -1n)).toThrow(OverflowError);
		expect(() => checked(MAX_INT64 + 1n, "overflow: checkedAdd(1, 2)")).toThrow("overflow: checkedAdd(1, 2)");
	});
});

describe("division", () => {
	test.each([
		[7n, 2n, 4n],
		[8n, 2n, 4n],
		[0n, 3n, 0n],
		[-7n, 2n, -3n],
		[-8n, 2n, -4n],
	])("of %s by %s, rounded up where the remainder is positive, is %s", (a, b, expected) => {
		expect(ceilDiv(a, b)).toBe(expected);
	});
});

describe("conversion to a double", () => {
	test.each([
		[2n ** 53n + 1n, 2 ** 53],
		[2n ** 53n + 3n, 2 ** 53 + 4],
		[MAX_INT64, 2 ** 63],
		[MIN_INT64, -(2 ** 63)],
	])("of %s rounds to the nearest, ties to even", (value, expected) => {
		expect(toDouble(value)).toBe(expected);
	});
});

describe("conversion from a double", () => {
	test.each([
		[Number.NaN, 0n],
		[Number.POSITIVE_INFINITY, MAX_INT64],
		[Number.NEGATIVE_INFINITY, MIN_INT64],
		[2 ** 63, MAX_INT64],
		[-(2 ** 63), MIN_INT64],
		[2 ** 63 - 1024, 2n ** 63n - 1024n],
		[1e300, MAX_INT64],
		[2.9999999, 2n],
		[-2.9999999, -2n],
		[-0.5, 0n],
		[-0, 0n],
	])("of %s truncates and saturates: %s", (value, expected) => {
		expect(fromDouble(value)).toBe(expected);
	});

	test.each([
		[0.5, 1n],
		[1.5, 2n],
		[2.5, 3n],
		[-0.5, 0n],
		[-1.5, -1n],
		[-2.5, -2n],
		[0.49999999999999994, 0n],
		[2 ** 51 + 0.5, 2n ** 51n + 1n],
		[2 ** 53 + 2, 2n ** 53n + 2n],
		[Number.NaN, 0n],
		[Number.POSITIVE_INFINITY, MAX_INT64],
	])("of %s rounds ties upward: %s", (value, expected) => {
		expect(roundDouble(value)).toBe(expected);
	});
});

test("the smaller and the greater of two", () => {
	fc.assert(
		fc.property(int64, int64, (a, b) => {
			expect(minInt(a, b) <= maxInt(a, b)).toBe(true);
			expect(new Set([minInt(a, b), maxInt(a, b)])).toEqual(new Set([a, b]));
		}),
	);
});

describe("reading digits", () => {
	test.each<[string, bigint | undefined]>([
		["0", 0n],
		["-0", 0n],
		["+007", 7n],
		["9223372036854775807", MAX_INT64],
		["-9223372036854775808", MIN_INT64],
		["9223372036854775808", undefined],
		["000000000000000000000000000000001", 1n],
		["12345678901234567890123", undefined],
		["", undefined],
		["-", undefined],
		["1a", undefined],
	])("%s as 64 bits", (text, expected) => {
		expect(parseInt64(text)).toBe(expected);
	});

	test("of any length keeps the low 64 bits", () => {
		fc.assert(
			fc.property(fc.bigInt({ min: -(1n << 400n), max: 1n << 400n }), (value) => {
				expect(parseWrapped(value.toString(), 10)).toBe(wrap(value));
				expect(parseWrapped(value.toString(16), 16)).toBe(wrap(value));
			}),
		);
		expect(parseWrapped("0x1", 16)).toBeUndefined();
		expect(parseWrapped("", 10)).toBeUndefined();
	});

	test("takes no quadratic time", () => {
		const digits = "7".repeat(2_000_000);
		const ms = processorMs(() => {
			expect(parseInt64(digits)).toBeUndefined();
			expect(parseWrapped(digits, 10)).toBeDefined();
			expect(parseWrapped(digits, 16)).toBe(0x7777777777777777n);
		});
		expect(ms).toBeLessThan(4_000);
	});
});
