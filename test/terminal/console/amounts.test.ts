import { describe, expect, it } from "vitest";
import { withAmounts } from "../../../src/terminal/console/console-prompt.js";
import { amountText } from "../../../src/terminal/console/contract-object.js";
import { parseCoinAmount } from "../../../src/wallet/values/amount.js";

it("reads amounts with their unit as whole numbers of sun", () => {
	expect(withAmounts("send(bob, 5coin)")).toBe("send(bob, 5000000n)");
	expect(withAmounts("1.5coin + 1_000sun")).toBe("1500000n + 1000n");
});

it("reads amounts of tokens, and numbers that JavaScript would round, as they are typed", () => {
	expect(withAmounts("gold.mint(bob, 5@gold)")).toBe('gold.mint(bob, new $tokens("5@gold"))');
	expect(withAmounts("[1.5@my-token, 7raw@1000001]")).toBe(
		'[new $tokens("1.5@my-token"), new $tokens("7raw@1000001")]',
	);
	expect(withAmounts("f(5e18, 1.5e+18)")).toBe("f(5000000000000000000n, 1500000000000000000n)");
	expect(withAmounts("1e23 + 9_007_199_254e8")).toBe(`1${"0".repeat(23)}n + 900719925400000000n`);
	for (const exact of ["1e3 * 2", "1.5e6", "5e-18", "0x1e18", "x.e18", "a1e18", "1.23e1", '"5@gold"'])
		expect(withAmounts(exact)).toBe(exact);
});

it("reads JavaScript as it is: regular expressions, and what stands in templates", () => {
	expect(withAmounts("/5coin/.test(x) ? 5coin : 1")).toBe("/5coin/.test(x) ? 5000000n : 1");
	expect(withAmounts("s.replace(/\"/g, '') + ' 5coin'")).toBe("s.replace(/\"/g, '') + ' 5coin'");
	expect(withAmounts("if (/^https:\\/\\//.test(x)) send(bob, 5coin)")).toBe(
		"if (/^https:\\/\\//.test(x)) send(bob, 5000000n)",
	);
	const template = (amount: string): string => `\`5coin \${${amount}} \${\`5coin\`}\``;
	expect(withAmounts(template("5coin"))).toBe(template("5000000n"));
	expect(withAmounts("{ value: 5coin, x: 1sun }")).toBe("{ value: 5000000n, x: 1n }");
	// What isn't complete yet, or no JavaScript, is read by its texts and comments alone.
	expect(withAmounts("if (x) { send(bob, 5coin)")).toBe("if (x) { send(bob, 5000000n)");
});

it("leaves texts, comments and names as they are", () => {
	for (const source of [
		`"5coin"`,
		"'a\\'5coin'",
		"`5coin`",
		"// 5coin",
		"/* 5coin */ x",
		"a5coin",
		"x.5coin",
		"5coins",
	])
		expect(withAmounts(source)).toBe(source);
	expect(withAmounts(`"a" + 5coin // 5coin`)).toBe(`"a" + 5000000n // 5coin`);
});

it("refuses what is less than a sun", () => {
	expect(() => withAmounts("1.0000001coin")).toThrow(/sun|decimal|digits/i);
});

describe("a number with an exponent where coins are asked for", () => {
	const refused = '"7e18" has an exponent: write all digits';

	it("stays what was typed, which is no amount to any command", () => {
		for (const [source, read] of [
			["send(bob, 7e18)", 'send(bob, "7e18")'],
			["carol.send(accounts['a,b'], 7e18, { memo })", `carol.send(accounts['a,b'], "7e18", { memo })`],
			["send(who(1, 2), 7e18)", 'send(who(1, 2), "7e18")'],
			["vault.deposit(7e18, { value: 7e18 })", `vault.deposit(${7n * 10n ** 18n}n, { value: "7e18" })`],
			['f({ from: bob, "feeLimit":\n7e18 })', 'f({ from: bob, "feeLimit":\n"7e18" })'],
		] as const)
			expect(withAmounts(source)).toBe(read);
		expect(() => parseCoinAmount(amountText("value", "7e18"))).toThrow(refused);
	});

	it("is another thing than the same number that is reckoned with, typed plainly or asked for elsewhere", () => {
		const seven = 7n * 10n ** 18n;
		for (const [source, read] of [
			["send(bob, 7e18 / 10n)", `send(bob, ${seven}n / 10n)`],
			["send(bob, 2n * 7e18)", `send(bob, 2n * ${seven}n)`],
			["({ value: 7e18 + 1n })", `({ value: ${seven}n + 1n })`],
			["is ? value : 7e18", `is ? value : ${seven}n`],
			["resend(bob, 7e18)", `resend(bob, ${seven}n)`],
			["send(bob, 5coin, 7e18)", `send(bob, 5000000n, ${seven}n)`],
		] as const)
			expect(withAmounts(source)).toBe(read);
		expect(amountText("value", seven)).toBe(`${seven}sun`);
	});
});

it("remembers what was typed as coins, until the number is typed as one", () => {
	const typed = new Map<bigint, string>();
	withAmounts("f(5coin, 2sun)", typed);
	expect([...typed]).toEqual([
		[5_000_000n, "5coin"],
		[2n, "2sun"],
	]);
	withAmounts("f(5_000_000n)", typed);
	expect([...typed]).toEqual([[2n, "2sun"]]);
});
