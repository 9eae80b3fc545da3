/** The exchange's arithmetic against the vectors of protocol/exchange §§8.2 and 9. */

import { describe, expect, it } from "vitest";
import { divideHalfUp, exactTradeOutput, tradeOutput } from "../../../src/node/exchange/curve.js";
import { historicalPow } from "../../../src/node/exchange/historical-pow.js";
import { strictPow } from "../../../src/node/exchange/strict-pow.js";

const view = new DataView(new ArrayBuffer(8));

function double(hex: string): number {
	view.setBigUint64(0, BigInt(`0x${hex}`));
	return view.getFloat64(0);
}

function hex(value: number): string {
	view.setFloat64(0, value);
	return view.getBigUint64(0).toString(16);
}

/** Bases whose power 0.0005 lies next to the midpoint of two doubles, with the result that the network recorded. */
const midpoints = [
	["3ff0192278704be3", "3ff000033518c576"],
	["3ff00000c2a51ab7", "3ff000000018ea20"],
	["3ff000002fc6a33f", "3ff0000000061d86"],
	["3ff020fb74e9f170", "3ff00004346fbfa2"],
	["3ff00314b1e73ecf", "3ff0000064ea3ef8"],
	["3ff00001ce277ce7", "3ff00000003b27dc"],
	["3ff0068cd52978ae", "3ff00000d676966c"],
	["3ff005468a327822", "3ff00000acc20750"],
	["3ff0032fda05447d", "3ff0000068636fe0"],
	["3ff00006666f30ff", "3ff0000000d1b80e"],
	["3ff00051c09cc796", "3ff000000a76c20e"],
	["3ff000045a0b2035", "3ff00000008e98e6"],
	["3ff00bef8115b65d", "3ff0000186893de0"],
	["3ff00e00380e10d7", "3ff00001c9ff83c8"],
	["3ff009b0b2616930", "3ff000013d27849e"],
	["3ff00c15de2b0d5e", "3ff000018b6eaab6"],
	["3ff00364ba163146", "3ff000006f26a9dc"],
	["3ff00042afe6956a", "3ff0000008892244"],
	["3ff019be4095d6ae", "3ff0000348e9f02a"],
	["3ff0005b7357c2d4", "3ff000000bb48572"],
	["3ff0123e52985644", "3ff0000254797fd0"],
	["3ff00033d5ab51c8", "3ff0000006a279c8"],
	["3ff0126d052860e2", "3ff000025a6cde26"],
	["3ff0000046d74585", "3ff0000000091150"],
	["3ff0001632cccf1b", "3ff0000002d76406"],
	["3ff0010403f34767", "3ff0000021472146"],
	["3ff0000965922b01", "3ff000000133e966"],
	["3ff00496fe59bc98", "3ff000009650a4ca"],
	["3ff00005c7692d61", "3ff0000000bd5d34"],
	["3ff0012e43815868", "3ff0000026af266e"],
	["3ff015cba20ec276", "3ff00002c84cef0e"],
	["3ff00021f6080e3c", "3ff000000458d16a"],
	["3ff00002f453d343", "3ff000000060cf4e"],
	["3ff000489c0f28bd", "3ff00000094b3072"],
	["3ff006ea73f88946", "3ff00000e26d4ea2"],
	["3ff00009d3df2e9c", "3ff00000014207b4"],
	["3ff00a3632db72be", "3ff000014e3382a6"],
	["3ff000def05fa9c8", "3ff000001c887cdc"],
	["3ff000c0e8df0274", "3ff0000018b0aeb2"],
	["3ff0013bca543227", "3ff00000286a42d2"],
	["3ff00015c8f06afe", "3ff0000002c9d73e"],
	["3ff0021a2f14a0ee", "3ff0000044deb040"],
	["3ff00068def18101", "3ff000000d6c3cac"],
	["3ff0002cc166be3c", "3ff0000005ba841e"],
	["3ff01349f3ac164b", "3ff000027693328a"],
	["3ff0000cc84e613f", "3ff0000001a2da46"],
	["3ff00e86a7859088", "3ff00001db256a52"],
	["3ff000057b83c83f", "3ff0000000b3a640"],
] as const;

const trades = [
	{
		sold: 100000000n,
		bought: 100000000n,
		quant: 1000000n,
		x1: "3ff0288df0cac5b4",
		p1: "3ff000052a5b2973",
		relay: 4926160354967n,
		p2: "3ff0288df0cac4c6",
		out: 990099n,
	},
	{
		sold: 1000000000000n,
		bought: 10000000n,
		quant: 100000000n,
		x1: "3ff00068d8dc8c2c",
		p1: "3ff000000d6b7567",
		relay: 49992502360n,
		p2: "3ff00068d8dc8a33",
		out: 999n,
	},
	{
		sold: 1000000000000n,
		bought: 10000000n,
		quant: 10000000n,
		x1: "3ff0000a7c53e53e",
		p1: "3ff000000157979c",
		relay: 4999924918n,
		p2: "3ff0000a7c53e1e5",
		out: 99n,
	},
	{
		sold: 10000000n,
		bought: 1000000000000n,
		quant: 1n,
		x1: "3ff000001ad7f26e",
		p1: "3ff0000000036f9c",
		relay: 50000004n,
		p2: "3ff000001ad7f2d7",
		out: 100000n,
	},
	{
		sold: 100000000000000n,
		bought: 137438953472n,
		quant: 2000000000000n,
		x1: "3ff0505050505050",
		p1: "3ff0000a2e4396af",
		relay: 9709090061482n,
		p2: "3ff050505050511b",
		out: 2694881440n,
	},
	{
		sold: 134744072032n,
		bought: 102000000000000n,
		quant: 2694881440n,
		x1: "3ff0505050500000",
		p1: "3ff0000a2e4396a5",
		relay: 9709090059262n,
		p2: "3ff0505050500173",
		out: 1999999999542n,
	},
	{
		sold: 123456789012n,
		bought: 987654321098n,
		quant: 5555555555n,
		x1: "3ff0b061fda61271",
		p1: "3ff000161ac9b5dd",
		relay: 21080627781389n,
		p2: "3ff0b061fda61559",
		out: 42530569213n,
	},
	{
		sold: 987654321098n,
		bought: 123456789012n,
		quant: 5555555555n,
		x1: "3ff016e93f7b8b2f",
		p1: "3ff00002eca930fd",
		relay: 2788979201584n,
		p2: "3ff016e93f7b8957",
		out: 690560037n,
	},
	{
		sold: 10000000000n,
		bought: 10000000000n,
		quant: 1n,
		x1: "3ff000000006df38",
		p1: "3ff00000000000e1",
		relay: 49960n,
		p2: "3ff000000006ddd0",
		out: 0n,
	},
	{
		sold: 1000000000000000n,
		bought: 900000000000000n,
		quant: 1n,
		x1: "3ff0000000000005",
		p1: "3ff0000000000000",
		relay: 0n,
		p2: "3ff0000000000000",
		out: 0n,
	},
	{
		sold: 1n,
		bought: 1000000000000000n,
		quant: 999999999999999n,
		x1: "3ffffffffffffffc",
		p1: "3ff0016b78c34fb4",
		relay: 346633653845351n,
		p2: "40000000000000de",
		out: 1000000000000098n,
	},
] as const;

/** Trades whose result depends on the power function. */
const divided = [
	{ sold: 4732214n, bought: 2202692725330n, quant: 29218n, strict: 13516579895n, historical: 13516579896n },
	{ sold: 5618633n, bought: 556559904655n, quant: 1n, strict: 99055n, historical: 99056n },
	{ sold: 9299554n, bought: 1120271441185n, quant: 7000n, strict: 842621242n, historical: 842621241n },
	{
		sold: 62433133n,
		bought: 12013267997895n,
		quant: 100000n,
		strict: 19211044481n,
		historical: 19211044486n,
	},
	{ sold: 64212664n, bought: 725836766395n, quant: 50000n, strict: 564742200n, historical: 564742201n },
	{ sold: 836877n, bought: 212532333234n, quant: 5293n, strict: 1335756010n, historical: 1335756011n },
	{
		sold: 713556017440841n,
		bought: 900000000000000n,
		quant: 265863484627n,
		strict: 335205661826n,
		historical: 335205662225n,
	},
] as const;

describe("the strict power", () => {
	it.each(trades)("agrees in every bit for $quant sold into $sold", ({ x1, p1, p2, relay }) => {
		expect(hex(strictPow(double(x1), 0.0005))).toBe(p1);
		expect(hex(strictPow(1 + Number(relay) / 1e18, 2000))).toBe(p2);
	});

	it.each(midpoints)("differs from the historical one at %s", (x, result) => {
		expect(hex(strictPow(double(x), 0.0005))).not.toBe(result);
	});

	it.each([
		[1, 0.0005, 1],
		[0, 0.0005, 0],
		[-0.5, 0.0005, Number.NaN],
		[Number.NaN, 0.0005, Number.NaN],
		[Number.POSITIVE_INFINITY, 0.0005, Number.POSITIVE_INFINITY],
		[10.2, 2000, Number.POSITIVE_INFINITY],
	])("of %d to %d is %d", (x, y, result) => {
		expect(strictPow(x, y)).toBe(result);
	});
});

describe("the historical power", () => {
	it.each(midpoints)("rounds twice at %s", (x, result) => {
		expect(hex(historicalPow(double(x), 0.0005))).toBe(result);
	});

	it("differs from the strict one by a last bit in about one of 4096 results", () => {
		let different = 0;
		for (let i = 0; i < 8_192; i++) {
			const x = 1 + (i * 37 + 1) / 303_105;
			const historical = historicalPow(x, 0.0005);
			if (historical === strictPow(x, 0.0005)) continue;
			different++;
			expect(Math.abs(historical - strictPow(x, 0.0005))).toBe(2 ** -52);
		}
		expect(different).toBeGreaterThan(0);
		expect(different).toBeLessThan(10);
	});
});

describe("a trade", () => {
	it.each(trades)("of $quant into $sold against $bought pays $out", ({ sold, bought, quant, out }) => {
		expect(tradeOutput(sold, bought, quant, strictPow)).toBe(out);
	});

	it.each(divided)("of $quant into $sold pays by the rules of its time", (row) => {
		expect(tradeOutput(row.sold, row.bought, row.quant, strictPow)).toBe(row.strict);
		expect(tradeOutput(row.sold, row.bought, row.quant, historicalPow)).toBe(row.historical);
	});

	it("pays the largest amount where it empties a negative balance exactly", () => {
		expect(tradeOutput(-98n, 1_000n, 98n, strictPow)).toBe(0x7fffffffffffffffn);
	});
});

describe("a trade in decimals (protocol/exchange §7.1)", () => {
	// Checked with the decimals of another language; the first column is what doubles pay.
	it.each([
		[412250222n, 565667180055n, 506525152906288n, 460385n, 412250221n],
		[710626126399685n, 88160496n, 710627151665301n, 61105285966806n, 710626126399684n],
		[281875838107885n, 884n, 281902330758551n, 9405561n, 281875838107884n],
		[12240752050989n, 64n, 795648883316786n, 1n, 12240752050990n],
		[23768n, 368708701086n, 973144338369666n, 9n, 23769n],
		[990099n, 100000000n, 100000000n, 1000000n, 990099n],
		[0n, 10000000000n, 10000000000n, 1n, 0n],
	])("pays not %i for %i against %i of %i, but %i", (doubles, sold, bought, quant, out) => {
		expect(tradeOutput(sold, bought, quant, strictPow)).toBe(doubles);
		expect(exactTradeOutput(sold, bought, quant)).toBe(out);
	});

	it.each([
		["long overflow", 2n, 1n, 2n ** 63n - 1n],
		["Division by zero", -98n, 1000n, 98n],
		["Infinite or NaN", -200n, 1000n, 150n],
	])("is an error of arithmetic: %s", (text, sold, bought, quant) => {
		expect(() => exactTradeOutput(sold, bought, quant)).toThrow(text);
	});
});

describe("a half", () => {
	it.each([
		[7n, 2n, 4n],
		[-7n, 2n, -4n],
		[7n, -2n, -4n],
		[-7n, -2n, 4n],
		[10n, 4n, 3n],
		[9n, 4n, 2n],
		[-9n, 4n, -2n],
		[8n, 4n, 2n],
	])("of %i / %i is rounded away from zero: %i", (a, b, quotient) => {
		expect(divideHalfUp(a, b)).toBe(quotient);
	});
});
