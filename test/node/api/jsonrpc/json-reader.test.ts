import { describe, expect, test } from "vitest";
import {
	JsonNumber,
	JsonTextError,
	type JsonValue,
	readJson,
} from "../../../../src/node/api/jsonrpc/json-reader.js";

/** The value with numbers as `{n: text}` and objects as entries. */
function plain(value: JsonValue): unknown {
	if (value instanceof JsonNumber) return { n: value.text };
	if (value instanceof Map) return { entries: [...value].map(([name, member]) => [name, plain(member)]) };
	return Array.isArray(value) ? value.map(plain) : value;
}

describe("the JSON reader", () => {
	test.each<[string, unknown]>([
		["null", null],
		[" \t\r\ntrue ", true],
		["false", false],
		['"a\\u0041\\n\\"\\/é"', 'aA\n"/é'],
		["-0", { n: "-0" }],
		["9007199254740993", { n: "9007199254740993" }],
		["-1.50e+2", { n: "-1.50e+2" }],
		["[]", []],
		["[1, [2] ,{}]", [{ n: "1" }, [{ n: "2" }], { entries: [] }]],
		[
			'{"a":1,"b":[null]}',
			{
				entries: [
					["a", { n: "1" }],
					["b", [null]],
				],
			},
		],
		['{"id":1,"id":2}', { entries: [["id", { n: "2" }]] }],
		['{"a":1} trailing', { entries: [["a", { n: "1" }]] }],
		["[]x", []],
		["5 x", { n: "5" }],
	])("reads %s", (text, expected) => {
		expect(plain(readJson(text))).toEqual(expected);
	});

	test.each([
		"",
		" ",
		"{",
		"[",
		"[1",
		"[1,]",
		"{'a':1}",
		'{"a"}',
		'{"a":}',
		'{"a":1,}',
		"{a:1}",
		"nul",
		"nullx",
		"NaN",
		"+1",
		"01",
		"1.",
		".5",
		"1e",
		"5x",
		'"',
		'"\n"',
		'"\\x"',
		'"\\u12g4"',
		"// 1",
		`${"[".repeat(100_000)}`,
	])("refuses %j", (text) => {
		expect(() => readJson(text)).toThrow(JsonTextError);
	});
});
