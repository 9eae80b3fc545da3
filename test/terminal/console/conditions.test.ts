import { expect, it } from "vitest";
import { withConditions } from "../../../src/terminal/console/conditions.js";

/** As written, with `‹…›` around what is checked. */
const marked = (source: string): string =>
	withConditions(source)
		.replaceAll("$decided((", "‹")
		.replace(/\),"(?:[^"\\]|\\.)*",(true|false)\)/g, "›");

it.each([
	["if (a) b", "if (‹a›) b"],
	["if ((a)) b; else if (!c) d", "if ((‹a›)) b; else if (‹!‹c››) d"],
	["while (a && b || c) d", "while (‹‹‹a› && b› || c›) d"],
	["for (;;) a", "for (;;) a"],
	["for (; a < b;) c", "for (; ‹‹a› < ‹b››;) c"],
	["do a; while (b)", "do a; while (‹b›)"],
	["switch (a) { case b: c }", "switch (‹a›) { case ‹b›: c }"],
	["const x = a ? b : c", "const x = ‹a› ? b : c"],
	["a ?? b", "‹a› ?? b"],
	["(await a()) && b", "(‹await a()›) && b"],
	["list.some(async (x) => x)", "list.some(‹async (x) => x›)"],
	["list['some'](f)", "list['some'](‹f›)"],
	["a !== undefined", "‹a› !== ‹undefined›"],
	["list.map((x) => x)", "list.map((x) => x)"],
	["f(...list)", "f(...list)"],
	["{ a: b ? 1 : 2, c: 3 }", "{ a: ‹b› ? 1 : 2, c: 3 }"],
	["a &&= b", "(‹a›,a &&= b)"],
	["a.b ||= c ? d : e", "(‹a.b›,a.b ||= ‹c› ? d : e)"],
	["a += b", "a += b"],
	["Boolean(a)", "Boolean(‹a›)"],
	["a + b", "a + b"],
	["if (a) {", "if (a) {"],
	["no javascript ?", "no javascript ?"],
])("checks what %s decides by", (source, checked) => {
	expect(marked(source)).toBe(checked);
});

it("refuses what is nested too deeply", () => {
	expect(() => withConditions(`${"(".repeat(200_000)}1${")".repeat(200_000)}`)).toThrow("nested too deeply");
});
