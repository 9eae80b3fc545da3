/** Values as people write them on the command line: resources, counts, prices, tokens, times, votes. */

import { describe, expect, it } from "vitest";
import { contractTypes } from "../../../src/protocol/contract-types.js";
import { AssetIssueContract, Vote, VoteWitnessContractVote } from "../../../src/protocol/messages.js";
import { parseTokenPrice, unitsFor } from "../../../src/wallet/token/token.js";
import { COIN, currencyText, parseAmountOf } from "../../../src/wallet/token/token-amount.js";
import { contractSummary } from "../../../src/wallet/transaction/contract-summary.js";
import {
	parseCount,
	parseInteger,
	parseNatural,
	parsePercent,
	quotientText,
} from "../../../src/wallet/values/integer-text.js";
import { parseBlocks, parseMoment } from "../../../src/wallet/values/moment.js";
import { parseResource, resourceName } from "../../../src/wallet/values/resource.js";
import { addedVotes, parseVotes } from "../../../src/wallet/view/voting.js";

describe("resources", () => {
	it.each([
		["bandwidth", 0],
		["BANDWIDTH", 0],
		["0", 0],
		["Energy", 1],
		["1", 1],
		["votes", 2],
		["coin_power", 2],
	])("%s is resource %i", (text, code) => {
		expect(parseResource(text, { votes: true })).toBe(code);
		expect(parseResource(resourceName(code), { votes: true })).toBe(code);
	});

	it("has votes only where a stake can be for them", () => {
		expect(() => parseResource("votes")).toThrow("use bandwidth or energy");
		expect(() => parseResource("3", { votes: true })).toThrow("use bandwidth, energy or votes");
	});
});

describe("whole numbers", () => {
	it.each([
		["1_000_000", 1_000_000n],
		["-5", -5n],
		["1.5e6", 1_500_000n],
		["1.50e1", 15n],
		["-.0e0", 0n],
		[".0e0", 0n],
		["1_0.2_50e+2", 1025n],
		["9223372036854775807", 2n ** 63n - 1n],
	])("%s is read exactly", (text, value) => {
		expect(parseInteger(text)).toBe(value);
	});

	it.each([
		[parseInteger, "9223372036854775808", "doesn't fit 64 bits"],
		[parseInteger, "1.5", "is not a whole number"],
		[parseInteger, "1e1_0", "is not a whole number"],
		[parseInteger, "1__0", "is not a whole number"],
		[parseInteger, "1e-3", "is not a whole number"],
		[parseInteger, "+5", "is not a whole number"],
		[parseInteger, "1.05e1", "is not a whole number"],
		[parseInteger, "e5", "is not a whole number"],
		[parseInteger, "0x10", "is not a whole number"],
		[parseInteger, "", "is not a whole number"],
		[parseCount, "0", "must be above zero"],
		[parseNatural, "-1", "is negative"],
		[parsePercent, "101", "goes from 0 to 100"],
		[parseBlocks, "0", "is not a time"],
	])("%o refuses %s", (parse, text, message) => {
		expect(() => parse(text)).toThrow(message);
	});

	it("counts a lock in blocks, or in time rounded up to blocks", () => {
		expect([parseBlocks("86_400"), parseBlocks("3d"), parseBlocks("4s")]).toEqual([86_400n, 86_400n, 2n]);
	});
});

describe("amounts of tokens and coins", () => {
	const apple = { id: "1000001", decimals: 2, symbol: "APL" };
	it.each([
		[apple, "12.5", 1250n],
		[apple, "12.5APL", 1250n],
		[apple, "12 APL", 1200n],
		[apple, "7raw", 7n],
		[{ id: "1000001" }, "7raw", 7n],
		[COIN, "1.5coin", 1_500_000n],
	])("of %j, %s is %i", (currency, text, amount) => {
		expect(parseAmountOf(currency, text)).toBe(amount);
	});

	it.each([
		[apple, "12.5XYZ", '"12.5XYZ" is an amount of XYZ, not of APL'],
		[apple, "12.505", "at most 2 exist"],
		[apple, "0", "the amount is zero"],
		[{ id: "1000001" }, "12", "such as 500raw"],
		[COIN, "5", "has no unit"],
	])("of %j, %s is refused", (currency, text, message) => {
		expect(() => parseAmountOf(currency, text)).toThrow(message);
	});

	it("prints what it knows", () => {
		expect(currencyText(apple, 1250n)).toBe("12.5 APL (1000001)");
		expect(currencyText({ id: "7" }, 1250n)).toBe("1250raw of token 7");
		expect(currencyText(COIN, 1_500_000n)).toBe("1.5coin");
	});
});

describe("prices", () => {
	it.each([
		["1coin/100", 2, { sun: 100, units: 1 }],
		["3sun/1raw", 6, { sun: 3, units: 1 }],
		["1coin/1", 0, { sun: 1_000_000, units: 1 }],
	])("%s with %i decimals", (text, decimals, price) => {
		expect(parseTokenPrice(text, decimals)).toEqual(price);
	});

	it.each([
		["1coin", "write <coin amount>/<token amount>"],
		["1coin/0", "sells nothing"],
		["3000000007sun/1raw", "don't fit 32 bits"],
	])("refuses %s", (text, message) => {
		expect(() => parseTokenPrice(text, 0)).toThrow(message);
	});

	it("rounds what a payment buys down", () => {
		expect(unitsFor(AssetIssueContract.create({ coin_num: 3, num: 2 }), 10n)).toBe(6n);
	});

	it.each([
		[1n, 3n, "0.333333333"],
		[2n, 300_000n, "0.00000666666666"],
		[123_456_789_012n, 1n, "123456789012"],
		[5n, 2n, "2.5"],
		[0n, 5n, "0"],
	])("%i by %i is %s", (dividend, divisor, text) => {
		expect(quotientText(dividend, divisor)).toBe(text);
	});
});

describe("times", () => {
	it("are absolute, or counted from the head block", () => {
		expect(parseMoment("@1795277889264")).toEqual({ atMs: 1_795_277_889_264n });
		expect(parseMoment("2026-12-24T18:00:00Z")).toEqual({ atMs: 1_798_135_200_000n });
		expect(parseMoment("30d")).toEqual({ afterMs: 2_592_000_000 });
		expect(() => parseMoment("2026-13-40")).toThrow("is not a time");
		expect(() => parseMoment("60")).toThrow("has no unit");
	});
});

describe("votes", () => {
	const [one, two] = [Buffer.alloc(21, 1), Buffer.alloc(21, 2)];
	const resolve = async (text: string): Promise<Uint8Array> => (text === "one" ? one : two);

	it("are added to those cast before, in their order", async () => {
		const present = [Vote.create({ vote_address: two, vote_count: 5n })];
		const more = await parseVotes(["one=1", "two=1_000"], resolve);
		expect(addedVotes(present, more)).toEqual([
			VoteWitnessContractVote.create({ vote_address: two, vote_count: 1005n }),
			VoteWitnessContractVote.create({ vote_address: one, vote_count: 1n }),
		]);
	});

	it.each(["one", "=5", "one=", "one=0", "one=1.5"])("refuses %s", async (word) => {
		await expect(parseVotes([word], resolve)).rejects.toThrow();
	});
});

describe("summaries", () => {
	const owner = Buffer.from("417e5f4552091a69125d5dfcb7b8c2659029395bdf", "hex");
	/** What contracts of the machine do is said by the commands that know their interface. */
	const OTHERS = /SmartContract|UpdateSetting|EnergyLimit|ClearABI|Shielded/;

	it("say in a sentence what every type does", () => {
		for (const type of contractTypes) {
			if (!type.message || OTHERS.test(type.name)) continue;
			const sentence = contractSummary({ type, parameter: type.message.create() }, owner);
			expect(sentence).toContain("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC");
			expect(sentence).not.toContain(` by TMVQ`);
		}
	});
});
