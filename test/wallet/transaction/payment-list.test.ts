import { describe, expect, test } from "vitest";
import { readPayments } from "../../../src/wallet/transaction/payment-list.js";

describe("a list of payments", () => {
	test("is lines of JSON, with comments and empty lines between", () => {
		const text =
			'# wages\n{"to":" ann ","amount":"25coin"}\r\n\n{"to":"bob","amount":"1","token":1000001,"memo":"a, b"}\n';
		expect(readPayments(text)).toEqual([
			{ to: "ann", amount: "25coin", token: undefined, memo: undefined },
			{ to: "bob", amount: "1", token: "1000001", memo: "a, b" },
		]);
	});

	test("is a CSV whose heading names the columns in any order", () => {
		const text = 'Amount, to ,memo\n1coin,ann,"for ""tea"", and milk"\n2coin,bob\n';
		expect(readPayments(text)).toEqual([
			{ amount: "1coin", to: "ann", memo: 'for "tea", and milk', token: undefined },
			{ amount: "2coin", to: "bob", memo: undefined, token: undefined },
		]);
	});

	test.each<[what: string, text: string, facts: object]>([
		["an empty list", "\n# nothing\n", { code: "stdin_empty" }],
		["a heading without an amount", "to,memo\n", { code: "bad_value" }],
		["a column that is not known", "to,amount,fee\n", { code: "bad_value" }],
		["a quote that stays open in the heading", 'to,"amount\n', { code: "bad_value", facts: {} }],
		["one that stays open in a row", 'to,amount\nann,1coin\nbob,"1\n', { facts: { index: 1 } }],
		["a line that is not JSON", '{"to":"ann","amount":"1coin"}\n{\n', { facts: { index: 1 } }],
		["a line that is not an object", '{"to":"ann","amount":"1coin"}\n[]\n', { facts: { index: 1 } }],
		["a payment without a recipient", 'to,amount\n" ",1coin\n', { code: "bad_value", facts: { index: 0 } }],
		["an amount that is a number, without a unit", '{"to":"ann","amount":5}', { code: "amount_unit" }],
	])("%s is refused", (_, text, facts) => {
		expect(() => readPayments(text)).toThrow(expect.objectContaining(facts));
	});
});
