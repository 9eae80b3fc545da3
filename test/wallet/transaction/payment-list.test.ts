import { describe, expect, test } from "vitest";
import { Failure } from "../../../src/wallet/failure.js";
import { MAX_PAYMENTS, readPayments } from "../../../src/wallet/transaction/payment-list.js";

describe("a list of payments", () => {
	test("is lines of JSON, with comments and empty lines between", () => {
		const text =
			'# wages\n{"to":" ann ","amount":"25coin"}\r\n\n{"to":"bob","amount":"1","token":1000001,"memo":"a, b"}\n';
		expect(readPayments(text)).toEqual([
			{ line: 2, payment: { to: "ann", amount: "25coin", token: undefined, memo: undefined } },
			{ line: 4, payment: { to: "bob", amount: "1", token: "1000001", memo: "a, b" } },
		]);
	});

	test("may begin with a byte-order mark", () => {
		const paid = [{ payment: { to: "ann", amount: "25coin" } }];
		expect(readPayments('\uFEFF{"to":"ann","amount":"25coin"}\n')).toMatchObject(paid);
		expect(readPayments("\uFEFFto,amount\nann,25coin\n")).toMatchObject(paid);
	});

	test("is a CSV whose heading names the columns in any order", () => {
		const text = 'Amount, to ,memo\n1coin,ann,"for ""tea"", and milk"\n2coin,bob\n';
		expect(readPayments(text)).toEqual([
			{ line: 2, payment: { amount: "1coin", to: "ann", memo: 'for "tea", and milk', token: undefined } },
			{ line: 3, payment: { amount: "2coin", to: "bob", memo: undefined, token: undefined } },
		]);
	});

	test.each<[what: string, text: string, code: string]>([
		["an empty list", "\n# nothing\n", "stdin_empty"],
		["a heading alone", "to,amount\n", "stdin_empty"],
		["a heading without an amount", "to,memo\n", "bad_value"],
		["a column that is not known", "to,amount,fee\n", "bad_value"],
		["a quote that stays open in the heading", 'to,"amount\n', "bad_value"],
		["too many payments", `to,amount\n${"a,1coin\n".repeat(MAX_PAYMENTS)}`, "bad_value"],
	])("%s is refused", (_, text, code) => {
		expect(() => readPayments(text)).toThrow(expect.objectContaining({ code }));
	});

	test.each([
		["to;amount\nann;1coin\n", "commas separate the cells"],
		["to\tamount\nann\t1coin\n", "commas separate the cells"],
		["ann,1coin\n", "line 1 has none of these names: a list without a heading needs one"],
		["to,amount,fee\n", '"fee" is none of them'],
		["to,memo\n", '"amount" is missing'],
		["to,amount,To \nbob,0.5coin,ann\n", '"to" is there twice'],
		["to,amount,amount\nbob,1coin,0.6coin\n", '"amount" is there twice'],
	])("is told by its heading why it isn't read: %j", (text, why) => {
		expect(() => readPayments(text)).toThrow(why);
	});

	test("takes neither of two members of one name", () => {
		const text = '{"to":"bob","amount":"1coin","\\u0061mount":"0.6coin"}';
		expect(readPayments(text)).toMatchObject([
			{
				payment: {
					code: "bad_value",
					message: expect.stringContaining('the member "amount" is there twice'),
				},
			},
		]);
	});

	test("has every line that is not a payment beside those that are", () => {
		const kinds = (text: string) =>
			readPayments(text).map(({ line, payment }) => [
				line,
				payment instanceof Failure ? payment.code : "paid",
			]);
		expect(kinds('to,amount\nann,1coin\nbob,"1\n" ",1coin\nann,1coin,x\n')).toEqual([
			[2, "paid"],
			[3, "bad_value"],
			[4, "bad_value"],
			[5, "bad_value"],
		]);
		expect(
			kinds(
				'{"to":"ann","amount":"1coin"}\n{\n[]\n{"to":"ann","amount":5}\n{"to":"a","amount":"1sun","memmo":"x"}',
			),
		).toEqual([
			[1, "paid"],
			[2, "bad_value"],
			[3, "bad_value"],
			[4, "amount_unit"],
			[5, "bad_value"],
		]);
	});
});
