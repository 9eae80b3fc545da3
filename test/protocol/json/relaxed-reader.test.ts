import { describe, expect, it } from "vitest";
import { mapOrderedJson } from "../../../src/protocol/json/map-ordered-json.js";
import { parseRelaxed } from "../../../src/protocol/json/relaxed-reader.js";
import type { JsonObject } from "../../../src/protocol/json/value.js";

const SOURCE = "[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: ";
const VALUE = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
const nested = (levels: number) => `${'{"x":'.repeat(levels)}1${"}".repeat(levels)}`;

/** The place that an error's text ends with. */
const at = (column: number, line = 1) => `\n at ${SOURCE}${line}, column: ${column}]`;

describe("what is read", () => {
	it.each([
		['{"b":1,"a":[true,null,"x"]}', '{"b":1,"a":[true,null,"x"]}'],
		["{b_1:'it''s'}", undefined],
		["{b_1:'say \"x\"',}", '{"b_1":"say \\"x\\""}'],
		['{1:"41",a-b:2,@x:3,#y:4,*+:5,é€_$9:6}', '{"1":"41","a-b":2,"@x":3,"#y":4,"*+":5,"é€_$9":6}'],
		["[1,2,]", "[1,2]"],
		['{"a":+7,"b":.5,"c":7.,"d":007,"e":7e2}', '{"a":7,"b":0.5,"c":7,"d":7,"e":7E+2}'],
		['/* c */{"a":1,// d\n"b":2}', '{"a":1,"b":2}'],
		['{"a":1,// b\r"b":2}', '{"a":1,"b":2}'],
		['{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
		['{"a":1} {"b":2', '{"a":1}'],
		['"\\u0041\\n\t"', '"A\\n\\t"'],
		["9007199254740993.25", "9007199254740993.25"],
		["  ", "null"],
		[nested(20), nested(20)],
	])("%s is %s", (text, json) => {
		const read = () => mapOrderedJson(parseRelaxed(text));
		if (json === undefined) expect(read).toThrow();
		else expect(read()).toBe(json);
	});
});

describe("what is refused", () => {
	it.each([
		["offset=0&limit=10", `Unrecognized token 'offset': was expecting ${VALUE}${at(7)}`],
		["x".repeat(255), `Unrecognized token '${"x".repeat(255)}': was expecting ${VALUE}${at(256)}`],
		["x".repeat(300), `Unrecognized token '${"x".repeat(256)}...': was expecting ${VALUE}${at(257)}`],
		[
			"{:1}",
			`Unexpected character (':' (code 58)): was expecting either valid name character (for unquoted name) or double-quote (for quoted) to start field name${at(2)}`,
		],
		[
			'{"a":0x10}',
			`Unexpected character ('x' (code 120)): was expecting comma to separate Object entries${at(7)}`,
		],
		[
			'{"a":NaN}',
			`Non-standard token 'NaN': enable \`JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS\` to allow${at(9)}`,
		],
		...["1e2147483648", "-1E-99999999999"].map((text) => [
			text,
			`Value "${text}" can not be deserialized as \`java.math.BigDecimal\`, reason:  Too many nonzero exponent digits.`,
		]),
		["# c\n{}", `Unexpected character ('#' (code 35)): expected a valid value ${VALUE}${at(1)}`],
		[
			'{"a"=1}',
			`Unexpected character ('=' (code 61)): was expecting a colon to separate field name and value${at(5)}`,
		],
		[
			'{\n"a";1}',
			`Unexpected character (';' (code 59)): was expecting a colon to separate field name and value${at(4, 2)}`,
		],
		["[1;2]", `Unexpected character (';' (code 59)): was expecting comma to separate Array entries${at(3)}`],
		[
			'{"a":1',
			`Unexpected end-of-input: expected close marker for Object (start marker at ${SOURCE}1, column: 1])${at(7)}`,
		],
		["}", `Unexpected close marker '}': expected ']' (for root starting at ${SOURCE}1])${at(1)}`],
		[
			'{"a":[1}',
			`Unexpected close marker '}': expected ']' (for Array starting at ${SOURCE}1, column: 6])${at(8)}`,
		],
		['{"a', `Unexpected end-of-input in field name${at(4)}`],
		['"a', `Unexpected end-of-input: was expecting closing quote for a string value${at(3)}`],
		["]", `Unexpected close marker ']': expected '}' (for root starting at ${SOURCE}1])${at(1)}`],
		['{"a":}', `Unexpected character ('}' (code 125)): expected a valid value ${VALUE}${at(6)}`],
		["\x7f", `Unexpected character ((CTRL-CHAR, code 127)): expected a valid value ${VALUE}${at(1)}`],
		['{"a":1,', `Unexpected end-of-input within/between Object entries${at(8)}`],
		['{"a" ', `Unexpected end-of-input within/between Object entries${at(6)}`],
		["[1,", `Unexpected end-of-input within/between Array entries${at(4)}`],
		["/", `Unexpected end-of-input in a comment${at(2)}`],
		['"\\x"', `Unrecognized character escape 'x' (code 120)${at(3)}`],
		["true_", `Unrecognized token 'true_': was expecting ${VALUE}${at(6)}`],
		[
			"[true$]",
			`Unexpected character ('$' (code 36)): was expecting comma to separate Array entries${at(6)}`,
		],
		["-INFx", `Unrecognized token '-INFx': was expecting ${VALUE}${at(6)}`],
		["[-", `Unexpected end-of-inputNo digit following sign${at(3)}`],
		["1e", `Unexpected end-of-inputexpected a digit for number exponent${at(3)}`],
		["[-I", `Unexpected end-of-input in a Number value${at(4)}`],
		[
			"1\f",
			`Unexpected character ((CTRL-CHAR, code 12)): Expected space separating root-level values${at(2)}`,
		],
	])("%s", (text, message) => {
		expect(() => parseRelaxed(text)).toThrow(
			expect.objectContaining({ name: "org.coin.json.JSONException", text: message }),
		);
	});

	it.each([
		["{\f}", 12, at(3)],
		["\r\n\x1e1", 30, at(2, 2)],
		["// \0", 0, at(5)],
		["/* \b */1", 8, at(5)],
	])("control characters between values and in comments: %j", (text, code, place) => {
		expect(() => parseRelaxed(text)).toThrow(
			`Illegal character ((CTRL-CHAR, code ${code})): only regular white space (\\r, \\n, \\t) is allowed between tokens${place}`,
		);
	});

	it.each([
		["[+x]", "expected digit (0-9) for valid numeric value", at(3)],
		["[-NaN]", "expected digit (0-9) to follow minus sign, for valid numeric value", at(3)],
		["[12ex]", "Exponent indicator not followed by a digit", at(4)],
		["[1.25e+x]", "Exponent indicator not followed by a digit", at(3)],
		["[0.25e+x]", "Exponent indicator not followed by a digit", at(8)],
	])("what is no number: %s", (text, reason, place) => {
		expect(() => parseRelaxed(text)).toThrow(` in numeric value: ${reason}${place}`);
	});

	it.each([
		['{"a":"\n\n";}', at(10)],
		["{\r'a':1;}", at(6, 2)],
		["{\r\n'a':1;}", at(6, 2)],
		["{/*\n*/'a':1;}", at(8, 2)],
	])("lines end with either character, and not in texts: %j", (text, place) => {
		expect(() => parseRelaxed(text)).toThrow(
			`Unexpected character (';' (code 59)): was expecting comma to separate Object entries${place}`,
		);
	});

	it.each([
		[nested(21), "Document nesting depth (21) exceeds the maximum allowed (20,"],
		[`[${"1,".repeat(100_000)}1]`, "Token count (100001) exceeds the maximum allowed (100000,"],
		["1".repeat(1_001), "Number value length (1001) exceeds the maximum allowed (1000,"],
	])("what is beyond a limit", (text, message) => {
		expect(() => parseRelaxed(text)).toThrow(message);
	});

	it("names and words of any length are within the engine's limits", () => {
		const long = "Ω".repeat(4_194_296);
		expect([...(parseRelaxed(`{${long}:1}`) as JsonObject).keys()]).toEqual([long]);
		expect(() => parseRelaxed(long)).toThrow(`Unrecognized token '${"Ω".repeat(256)}...': was`);
	});
});
