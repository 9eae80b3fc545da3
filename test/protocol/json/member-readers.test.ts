import { describe, expect, it } from "vitest";
import { jsonLibrary, parseJsonObject } from "../../../src/protocol/json/json-library.js";
import { readInt, readLong, readTextMember, readVisible } from "../../../src/protocol/json/member-readers.js";
import { hashedLibrary } from "../../../src/protocol/json/older/hashed-library.js";

const object = (text: string) => parseJsonObject(text, hashedLibrary);

describe("member readers", () => {
	it.each([
		["1000", 1000n],
		['"1000"', 1000n],
		['"1e3"', 1000n],
		["2.0", 2n],
		["9223372036854775807", 9223372036854775807n],
		["-9223372036854775808", -9223372036854775808n],
		['""', 0n],
		["null", 0n],
		["010", 10n],
	])("read the long %s", (value, expected) => {
		expect(readLong(object(`{"v":${value}}`), "v")).toBe(expected);
	});

	it.each([
		["1.5", "ArithmeticException", "Rounding necessary"],
		["0.5", "ArithmeticException", "Rounding necessary"],
		["9223372036854775808", "ArithmeticException", "Overflow"],
		["1e999999999", "ArithmeticException", "Overflow"],
		[
			'"zz"',
			"NumberFormatException",
			'Character z is neither a decimal digit number, decimal point, nor "e" notation exponential mark.',
		],
		[
			"true",
			"NumberFormatException",
			'Character t is neither a decimal digit number, decimal point, nor "e" notation exponential mark.',
		],
	])("refuse the long %s", (value, name, text) => {
		expect(() => readLong(object(`{"v":${value}}`), "v")).toThrow(expect.objectContaining({ name, text }));
	});

	it("name a required member that is missing", () => {
		expect(() => readLong(object("{}"), "id", true)).toThrow("key [id] does not exist");
	});

	it.each([
		["2", 2],
		["2.9", 2],
		["-1", -1],
		["4294967298", 2],
		["true", 1],
		['"2"', 2],
		['"2.0"', 2],
	])("read the int %s", (value, expected) => {
		expect(readInt(object(`{"v":${value}}`).get("v") ?? null, jsonLibrary)).toBe(expected);
	});

	it.each([
		["null", hashedLibrary, "NullPointerException"],
		['""', hashedLibrary, "NullPointerException"],
		['"x"', jsonLibrary, "NumberFormatException"],
		["[]", hashedLibrary, "JSONException"],
		["[]", jsonLibrary, "org.coin.json.JSONException"],
		["{}", jsonLibrary, "org.coin.json.JSONException"],
	] as const)("refuse the int %s by the library that is %s", (value, library, name) => {
		expect(() => readInt(object(`{"v":${value}}`).get("v") ?? null, library)).toThrow(
			expect.objectContaining({ name }),
		);
	});

	it.each([
		["true", true],
		['"TRUE"', true],
		["1", false],
		['"True "', false],
		["null", false],
		["[true]", false],
	])("take visible %s as %s", (value, expected) => {
		expect(readVisible(object(`{"visible":${value}}`))).toBe(expected);
	});

	it("read any value as text and accept the deployed spelling of a name", () => {
		const members = object('{"a":{"b":[1,"x"]},"n":1e3,"shielded_TRC20_Parameters":"p"}');
		expect(readTextMember(members, "a")).toBe('{"b":[1,"x"]}');
		expect(readTextMember(members, "n")).toBe("1E+3");
		expect(readTextMember(members, "shielded_ORC20_Parameters")).toBe("p");
		expect(readTextMember(members, "none")).toBeNull();
	});
});
