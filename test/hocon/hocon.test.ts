import { describe, expect, it } from "vitest";
import { ConfigError, type HoconValue, parseHocon } from "../../src/hocon/hocon.js";

/** Plain form of a value: scalars as their text with a mark of their kind where it is not text. */
function plain(value: HoconValue): unknown {
	if (value.kind === "object") {
		return Object.fromEntries([...value.members].map(([key, item]) => [key, plain(item)]));
	}
	if (value.kind === "list") return value.items.map(plain);
	return value.kind === "text" ? value.text : `<${value.kind} ${value.text}>`;
}

describe("HOCON text", () => {
	it.each<[string, string, unknown]>([
		["braces and dotted paths", "a { b.c = x }\na.d : y", { a: { b: { c: "x" }, d: "y" } }],
		["an outer pair of braces", "{ a = x }", { a: "x" }],
		["nothing", "", {}],
		["comments", "# one\na = x # two\nb = y // three\n// four", { a: "x", b: "y" }],
		["trailing commas", "a = [x, y,], b = { c = z, },", { a: ["x", "y"], b: { c: "z" } }],
		["items on lines of their own", "a = [\n x\n y\n]", { a: ["x", "y"] }],
		["a comma on the next line", "a = [x\n, y]", { a: ["x", "y"] }],
		["a comma after a list on one line", "a = [] , b = []", { a: [], b: [] }],
		["unquoted text with blanks", "a = one  two # three", { a: "one  two" }],
		["quoted keys", '"a.b".c = x', { "a.b": { c: "x" } }],
		["escapes", String.raw`a = "q\"\\\n\u0041"`, { a: 'q"\\\nA' }],
		["triple quotes", 'a = """x"y"""', { a: 'x"y' }],
		[
			"numbers as written",
			"a = 99000000000000001\nb = -1.50\nc = 1e3",
			{ a: "<number 99000000000000001>", b: "<number -1.50>", c: "<number 1e3>" },
		],
		["numbers beside words as text", "a = 10 seconds", { a: "10 seconds" }],
		[
			"booleans and null",
			"a = true, b = false, c = null, d = yes",
			{ a: "<boolean true>", b: "<boolean false>", c: "<null null>", d: "yes" },
		],
		["a quoted number as text", 'a = "30"', { a: "30" }],
		["later keys over earlier ones", "a = x\na = y", { a: "y" }],
		["objects that merge", "a { b = x, c = x }\na { b = y }\na.d = z", { a: { b: "y", c: "x", d: "z" } }],
		["an object replaced by a list", "a { b = x }\na = []", { a: [] }],
		["objects beside each other", "a = { b = x } { c = y }", { a: { b: "x", c: "y" } }],
		["lists beside each other", "a = [x] [y]", { a: ["x", "y"] }],
		["appending", "a = [x]\na += y\nb += z", { a: ["x", "y"], b: ["z"] }],
		["a value on the line after its sign", "a =\n  x", { a: "x" }],
		["Windows line ends", "a = x\r\nb = y\r\n", { a: "x", b: "y" }],
	])("reads %s", (_, text, expected) => {
		expect(plain(parseHocon(text, "f"))).toEqual(expected);
	});

	it.each<[string, string, string]>([
		["an open brace", "net {\n a = 1\n", "f: 3: expecting '}', not the end of the file"],
		["an open list", "a = [1, 2", "f: 1: expecting ']', not the end of the file"],
		["an open text", 'a = "x\n', "f: 1: a quoted text is not closed"],
		["a closing brace too many", "{ a = 1 }\n}", "f: 2: unexpected '}' after the closing '}'"],
		["a missing value", "a = \n}", "f: 2: a value is missing for a"],
		["a missing sign", "a\nb = 1", "f: 2: expecting '=', ':' or '{' after the key a, not 'b'"],
		["two commas", "a = 1,, b = 2", "f: 1: expecting a key, not ','"],
		["an empty part of a key", "a..b = 1", "f: 1: a key has an empty part"],
		[
			"a substitution",
			`a = ${"$"}{b}`,
			"f: 1: the value of a uses a substitution, which is not supported: write the value out",
		],
		["an include", 'include "other.conf"', "f: 1: include is not supported: write everything in one file"],
		["a reserved character", "a = b@c", "f: 1: the value of a holds '@', which needs quotes"],
		["an address without quotes", "a = 127.0.0.1:80", "f: 1: the value of a holds ':', which needs quotes"],
		["a list beside a text", "a = [1] x", "f: 1: the value of a joins things of different kinds"],
		[
			"an unknown escape",
			String.raw`a = "\q"`,
			"f: 1: \\q is not an escape sequence; a backslash is written \\\\",
		],
	])("refuses %s and says where", (_, text, message) => {
		expect(() => parseHocon(text, "f")).toThrow(new ConfigError(message));
	});

	it("stores keys in the wanted spelling, so that both spellings merge", () => {
		const upper = (key: string) => key.toUpperCase();
		expect(plain(parseHocon("a.b = x\nA.c = y", "f", upper))).toEqual({ A: { B: "x", C: "y" } });
	});
});
