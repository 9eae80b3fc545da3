import { describe, expect, test } from "vitest";
import {
	JsonNumber,
	JsonTextError,
	type RawValue,
	RPC_BUDGET,
	readRawJson,
} from "../../../../src/node/api/jsonrpc/json-reader.js";
import { processorMs } from "../../../processor-time.js";

/** The value with numbers as `{n: text}` and objects as entries. */
function plain(value: RawValue): unknown {
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
		expect(plain(readRawJson(text))).toEqual(expected);
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
		expect(() => readRawJson(text)).toThrow(JsonTextError);
	});
});

describe("the budget of a request", () => {
	const nested = `[${"[".repeat(450)}${"]".repeat(450)}${`,${"[".repeat(450)}${"]".repeat(450)}`.repeat(3_999)}]`;
	test.each<[string, string]>([
		["a number of a million digits", `{"id":${"9".repeat(1_000_000)}}`],
		["a fraction of a million digits", `[0.${"3".repeat(1_000_000)}]`],
		["four thousand lists of 450 levels", nested],
		["as many values as fit", `[${"0,".repeat(200_000)}0]`],
		["as many members as fit", `{${'"a":0,'.repeat(100_000)}"a":0}`],
	])("is exceeded by %s, and that at once", (_name, text) => {
		const ms = processorMs(() => {
			expect(() => readRawJson(text, RPC_BUDGET)).toThrow(JsonTextError);
		});
		expect(ms).toBeLessThan(2_000);
	});

	test("has room for a number of a thousand characters and for many values", () => {
		expect(() => readRawJson(`[${"9".repeat(1_000)}]`, RPC_BUDGET)).not.toThrow();
		expect(() => readRawJson(`[${"0,".repeat(50_000)}0]`, RPC_BUDGET)).not.toThrow();
	});

	test("doesn't count what a string holds, and reads its escapes in one go", () => {
		const text = "\\n".repeat(200_000);
		expect(readRawJson(`"${text}\\\\"`, RPC_BUDGET)).toBe(`${"\n".repeat(200_000)}\\`);
	});

	test("does not hold for texts that were asked for", () => {
		expect(readRawJson(`[${"0,".repeat(200_000)}0]`)).toHaveLength(200_001);
	});
});
