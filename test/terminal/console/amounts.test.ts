import { expect, it } from "vitest";
import { withAmounts } from "../../../src/terminal/console/console-prompt.js";

it("reads amounts with their unit as whole numbers of sun", () => {
	expect(withAmounts("send(bob, 5coin)")).toBe("send(bob, 5000000n)");
	expect(withAmounts("1.5coin + 1_000sun")).toBe("1500000n + 1000n");
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
