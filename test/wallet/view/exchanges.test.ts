import { describe, expect, test } from "vitest";
import { tradeQuote } from "../../../src/commands/exchange.js";
import { utf8 } from "../../../src/protocol/bytes.js";
import { Exchange } from "../../../src/protocol/messages.js";
import { Failure } from "../../../src/wallet/failure.js";
import {
	exchangeById,
	exchangeSide,
	existingExchange,
	otherAmount,
	viewExchange,
} from "../../../src/wallet/view/exchanges.js";
import { answering } from "../answering-client.js";

const pair = Exchange.create({
	exchange_id: 3n,
	first_token_id: utf8("_"),
	first_token_balance: 1_000n,
	second_token_id: utf8("1000001"),
	second_token_balance: 300n,
});

describe("a pair of an exchange", () => {
	test("is seen from either token, and from no other", () => {
		expect(exchangeSide(pair, utf8("_"))).toEqual({
			balance: 1_000n,
			otherToken: utf8("1000001"),
			otherBalance: 300n,
		});
		expect(exchangeSide(pair, utf8("1000001"))).toMatchObject({ balance: 300n, otherBalance: 1_000n });
		expect(() => exchangeSide(pair, utf8("7"))).toThrow("the exchange 3 trades _ and 1000001, not 7");
	});

	test("takes the other token by the ratio of the balances, rounded down", () => {
		const side = exchangeSide(pair, utf8("_"));
		expect(otherAmount(side, 1_000n)).toBe(300n);
		expect(otherAmount(side, 3n)).toBe(0n);
		expect(otherAmount({ ...side, balance: 0n }, 5n)).toBe(0n);
	});

	test("is closed once a side is empty", () => {
		expect(viewExchange(pair).closed).toBe(false);
		expect(viewExchange(Exchange.create({ ...pair, second_token_balance: 0n })).closed).toBe(true);
	});
});

test("a trade is quoted by the curve of the chain's rules: exact with parameter 98", async () => {
	const side = {
		balance: 84_591_928_769_074n,
		otherToken: utf8("1000001"),
		otherBalance: 95_178_896_099_466n,
	};
	const quote = (units: bigint, ...parameters: readonly string[]) => {
		const chainParameter = parameters.map((key) => ({ key, value: 1n }));
		return tradeQuote(answering({ getchainparameters: { chainParameter } }).client, side, units);
	};
	const sold = 20_411_646_637_245n;
	const exact = ["getAllowStrictMath", "getAllowHardenExchangeCalculation"];
	expect(await quote(sold, ...exact)).toBe(18_501_827_075_768n);
	expect(await quote(sold, "getAllowStrictMath")).not.toBe(18_501_827_075_768n);
	await expect(quote(2n ** 63n - 1n, ...exact)).rejects.toMatchObject({ code: "bad_value" });
});

test("a missing pair is one that the node answers with nothing, or with its own failure", async () => {
	const crash = new Failure("rpc_error", "", { node: { code: "NullPointerException", message: "" } });
	const other = new Failure("rpc_error", "other");
	for (const [answer, outcome] of [
		[{}, undefined],
		[crash, undefined],
		[{ exchange_id: 3n }, expect.objectContaining({ exchange_id: 3n })],
	] as const) {
		expect(await exchangeById(answering({ getexchangebyid: answer }).client, 3n)).toEqual(outcome);
	}
	await expect(exchangeById(answering({ getexchangebyid: other }).client, 3n)).rejects.toBe(other);
	await expect(existingExchange(answering({ getexchangebyid: {} }).client, 3n)).rejects.toMatchObject({
		code: "not_found",
	});
});
