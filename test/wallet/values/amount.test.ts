import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	formatCoin,
	formatDecimal,
	parseCoinAmount,
	parseTokenAmount,
} from "../../../src/wallet/values/amount.js";
import { parseDuration } from "../../../src/wallet/values/moment.js";

describe("a coin amount", () => {
	it.each([
		["0", 0n],
		["1coin", 1_000_000n],
		["1 coin", 1_000_000n],
		["0.000001coin", 1n],
		["12.5COIN", 12_500_000n],
		["12.5trx", 12_500_000n],
		["9_000coin", 9_000_000_000n],
		["9223372036854775807sun", 9_223_372_036_854_775_807n],
	])("reads %s", (text, sun) => {
		expect(parseCoinAmount(text)).toBe(sun);
	});

	it.each([
		"",
		"coin",
		"1",
		"1.",
		"1.coin",
		"1__0coin",
		"_1coin",
		"1_coin",
		"-1coin",
		"1e2coin",
		"1.0000001coin",
		"0.5sun",
		"1cent",
		"9223372036854.775808coin",
		"0x1coin",
	])("is not %j", (text) => {
		expect(() => parseCoinAmount(text)).toThrow();
	});

	it("is read back from what is printed, for every amount", () => {
		fc.assert(
			fc.property(fc.bigInt(0n, 2n ** 63n - 1n), (sun) => {
				expect(parseCoinAmount(formatCoin(sun))).toBe(sun);
			}),
		);
	});
});

describe("a token amount", () => {
	it.each([
		["12.5", 2, 1250n],
		["12", 0, 12n],
		["1_000raw", 6, 1000n],
		["1000raw", undefined, 1000n],
	])("reads %s with %s decimals", (text, decimals, units) => {
		expect(parseTokenAmount(text, decimals)).toBe(units);
	});

	it.each([
		["12.5", 0],
		["12", undefined],
		["1.5raw", 2],
		["", 2],
	])("refuses %j with %s decimals", (text, decimals) => {
		expect(() => parseTokenAmount(text, decimals)).toThrow();
	});

	it("is printed with its point", () => {
		expect(formatDecimal(-1_500_000n, 6)).toBe("-1.5");
		expect(formatDecimal(7n, 0)).toBe("7");
	});

	it.each([-1, 256, 2 ** 31, Number.NaN])(
		"is printed in smallest units where it's said to have %s decimals",
		(decimals) => {
			expect(formatDecimal(7n, decimals)).toBe("7raw");
		},
	);
});

describe("a duration", () => {
	it.each([
		["500ms", 500],
		["60s", 60_000],
		["10m", 600_000],
		["24h", 86_400_000],
		["3d", 259_200_000],
	])("reads %s", (text, ms) => {
		expect(parseDuration(text)).toBe(ms);
	});

	it.each(["60", "", "1.5h", "-1s", "1w"])("is not %j", (text) => {
		expect(() => parseDuration(text)).toThrow();
	});
});
