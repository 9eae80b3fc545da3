import { expect, it } from "vitest";
import { csvLine } from "../../../src/terminal/output/history-table.js";

it.each([
	[["a", 1n, undefined, -2], "a,1,,-2"],
	[["a,b", 'say "x"'], '"a,b","say ""x"""'],
	// What a spreadsheet would calculate, but for numbers.
	[["=1+1", "+a", "-1.5", "-a", "@sum"], "'=1+1,'+a,-1.5,'-a,'@sum"],
	// Others separate by semicolons.
	[["a;=b", 'c;"+d', "e;f"], `"a;'=b","c;'""+d","e;f"`],
	[["two\nlines", "\u001b[31m", "\u202e"], "two\\u{a}lines,\\u{1b}[31m,\\u{202e}"],
])("%s is %s", (cells, line) => {
	expect(csvLine(cells)).toBe(line);
});
