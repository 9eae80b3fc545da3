import { describe, expect, it } from "vitest";
import { parseJsonObject } from "../../../../src/protocol/json/json-library.js";
import { mapOrderedJson } from "../../../../src/protocol/json/map-ordered-json.js";
import { hashedLibrary, parseLenient } from "../../../../src/protocol/json/older/hashed-library.js";

const END = "\u001a";

describe("the lenient parser", () => {
	it.each([
		['{"a":1}', '{"a":1}'],
		["{'a':'b'}", '{"a":"b"}'],
		["{a:1,b:2}", '{"a":1,"b":2}'],
		['{"a":1,}', '{"a":1}'],
		['{"a":1,,"b":2}', '{"a":1,"b":2}'],
		['{/*c*/"a":1}//end', '{"a":1}'],
		['{"a":1,"a":2}', '{"a":2}'],
		['{"a":+7,"b":007,"c":-0}', '{"a":7,"b":7,"c":0}'],
		['{"a":NaN,"b":null}', "{}"],
		['{1:"x"}', '{"1":"x"}'],
		['{"a":"line\nbreak"}', '{"a":"line\\nbreak"}'],
		['{"a":"\\x41\\u0042\\101\\v"}', '{"a":"AB\\u000101\\u000B"}'],
		['{"n":123456789012345678901234567890}', '{"n":123456789012345678901234567890}'],
		['{"n":1e3,"m":1.50,"s":0.0000001}', '{"s":1E-7,"m":1.50,"n":1E+3}'],
		["[1 2,,3]", "[1,2,3]"],
		["  7 ", "7"],
		["", "null"],
	])("reads %s", (text, expected) => {
		expect(mapOrderedJson(parseLenient(text))).toBe(expected);
	});

	const long = `{"owner_address":"41","to_address":"42",#c\n"amount":7}`;
	it.each([
		["{", "syntax error"],
		["}", "syntax error, pos 1, line 1, column 2}"],
		["[]", "can not cast to JSONObject."],
		['"x"', "can not cast to JSONObject."],
		["x", `illegal state. ${END}`],
		['{"a":1}x', `illegal state. ${END}`],
		['{"a":1}{}', "not close json text, token : {"],
		['{"a":1}}', "not close json text, token : }"],
		['{"a":1', "syntax error, position at 0, name a"],
		['{"a":1]', "syntax error, position at 0, name a"],
		['{"a":0x10}', "syntax error, position at 0, name a"],
		['{"a":"b" "c":1}', "syntax error, position at 0, name a"],
		['{"a":maybe}', 'syntax error, pos 6, line 1, column 7{"a":maybe}'],
		['{"a" 1}', "expect ':' at 0, name a"],
		["num=1", "error parse null"],
		["transaction=00", "error parse true"],
		["owner=1&x=2", "syntax error, pos 1, line 1, column 2owner=1&x=2"],
		[long, `illegal identifier : #pos 40, line 1, column 41${long}`],
		['{"a":{"b":1 2}}', "syntax error, position at 5, name b"],
	])("refuses %s with the network's words", (text, message) => {
		expect(() => parseJsonObject(text, hashedLibrary)).toThrow(
			expect.objectContaining({ name: "JSONException", text: message }),
		);
	});

	it("finds no object in null", () => {
		expect(() => parseJsonObject("null", hashedLibrary)).toThrow(
			expect.objectContaining({ name: "NullPointerException" }),
		);
	});

	it("refuses nesting that would exhaust the stack", () => {
		expect(() => parseLenient("[".repeat(100_000))).toThrow("array level > 512");
	});
});

describe("what a text may hold", () => {
	it.each([
		[
			"members",
			`{${Array.from({ length: 100_001 }, (_, i) => `m${i}:1`).join(",")}}`,
			"more than 100000 values",
		],
		["elements", `[${"0,".repeat(100_000)}0]`, "more than 100000 values"],
		["digits", `[${"9".repeat(1_001)}]`, "scanNumber overflow"],
	])("is bounded: %s", (_name, text, message) => {
		expect(() => parseLenient(text)).toThrow(message);
	});

	it("is enough for nearly a hundred thousand values and for a thousand digits", () => {
		expect(() => parseLenient(`[${"0,".repeat(99_000)}0]`)).not.toThrow();
		expect(() => parseLenient(`[${"9".repeat(1_000)}]`)).not.toThrow();
	});
});
