import { expect, it } from "vitest";
import { statementsOf, withConditions } from "../../../src/terminal/console/conditions.js";
import { readAmounts } from "../../../src/terminal/console/console-prompt.js";

/** As written, with `‹…›` around what is checked, and `«…»` around comparisons. */
const marked = (source: string): string =>
	withConditions(readAmounts(source))
		.replaceAll("$decided((", "‹")
		.replaceAll("$compared(", "«")
		.replace(/\),"(?:[^"\\]|\\.)*","\w+"\)/g, "›")
		.replace(/,"[=!<>]+",\[("(?:[^"\\]|\\.)*",?){2}\],\[\w+,\w+\]\)/g, "»");

it.each([
	["if (a) b", "if (‹a›) b"],
	["if ((a)) b; else if (!c) d", "if ((‹a›)) b; else if (‹!‹c››) d"],
	["while (a && b || c) d", "while (‹‹‹a› && b› || c›) d"],
	["for (;;) a", "for (;;) a"],
	["for (; a < b;) c", "for (; ‹«a , b»›;) c"],
	["do a; while (b)", "do a; while (‹b›)"],
	["switch (a) { case b: c }", "switch (‹a›) { case ‹b›: c }"],
	["const x = a ? b : c", "const x = ‹a› ? b : c"],
	["a ?? b", "‹a› ?? b"],
	["(await a()) && b", "(‹await a()›) && b"],
	["list.some(async (x) => x)", "list.some(‹async (x) => x›)"],
	["list['some'](f)", "list['some'](‹f›)"],
	["a !== undefined", "«a , undefined»"],
	["list.map((x) => x)", "list.map((x) => x)"],
	["f(...list)", "f(...list)"],
	["{ a: b ? 1 : 2, c: 3 }", "{ a: ‹b› ? 1 : 2, c: 3 }"],
	["a &&= b", "‹‹a› && (a = b)›"],
	["a.b ||= c ? d : e", "‹‹a.b› || (a.b = ‹c› ? d : e)›"],
	["a ??= f() ? b : c", "‹‹a› ?? (a = ‹(await f())› ? b : c)›"],
	["if ((a) /* > */ > (b)) c", "if (‹«(a) /* > */ , (b)»›) c"],
	["(a < b) === c", "«(«a , b») , c»"],
	["const { a } = f(1), b = g.h() + 1", "const { a } = (await f(1)), b = (await g.h()) + 1"],
	["x = f(await g(), (h())) > 5", "x = «(await f(await g(), (h()))) , 5»"],
	[
		"let f = async (n) => g(n), n = await f(1), o = { p: q() }",
		"let f = async (n) => g(n), n = await f(1), o = { p: q() }",
	],
	["a += b", "a += b"],
	["Boolean(a)", "Boolean(‹a›)"],
	["a + b", "a + b"],
	["if (a) {", "if (a) {"],
	["no javascript ?", "no javascript ?"],
])("checks what %s decides by", (source, checked) => {
	expect(marked(source)).toBe(checked);
});

it("refuses what is nested too deeply", () => {
	const source = `${"(".repeat(200_000)}1${")".repeat(200_000)}`;
	expect(() => withConditions(readAmounts(source))).toThrow("nested too deeply");
});

it.each([
	["const amount = 5coin\n  - 2coin\namount", ["const amount = 5coin\n  - 2coin", "amount"]],
	["send(bob)\n.then(\n1)\n// all\n", ["send(bob)\n.then(\n1)"]],
	["a; b\nif (a) b\nelse c", ["a; b", "if (a) b\nelse c"]],
	["{ a: 1, b: 5@gold }\n{ a: 1 }\n{ let x; x }", ["{ a: 1, b: 5@gold }", "{ a: 1 }", "{ let x; x }"]],
	["#!/bin/coin\n`5coin\n`\n", ["`5coin\n`"]],
	["a\n(b)\n[c]\n`d`\n(e\n(f))", ["a", "(b)", "[c]", "`d`", "(e\n(f))"]],
	["if (a) b\n(c)\n{ a\n(b) }", ["if (a) b", "(c)", "{ a\n(b) }"]],
	["if (a)\n(b)(c)\nelse\n(d)", ["if (a)\n(b)(c)\nelse\n(d)"]],
	["", []],
])("reads a script statement by statement: %j", (source, statements) => {
	expect(statementsOf(readAmounts(source))).toEqual(statements);
});

it.each([
	[
		"send(5coin)\n\tpay(5coin 2)",
		'"pay(5coin 2)": Unexpected token (line 2, column 12); nothing of the script has run',
	],
	["if (a) {\n", '"": Unexpected token (line 2, column 1); nothing of the script has run'],
	["{ a: 1, b: }\n", '"{ a: 1, b: }": Unexpected token (line 1, column 12); nothing of the script has run'],
	[
		"1\n{ let a = ; }",
		'"{ let a = ; }": Unexpected token (line 2, column 11); nothing of the script has run',
	],
])("says where %j is no JavaScript", (source, message) => {
	expect(() => statementsOf(readAmounts(source))).toThrow(
		expect.objectContaining({ code: "bad_value", message }),
	);
});
