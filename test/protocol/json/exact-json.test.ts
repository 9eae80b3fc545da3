import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ExactJson, parseExactJson } from "../../../src/protocol/json/exact-json.js";

const read = (text: string): ExactJson => parseExactJson(text, 100);

describe("JSON with exact integers", () => {
	it("is read as it is written", () => {
		expect(read('{"a":12345678901234567890,"b":[-0,1.5,2e3,1E+2,-1],"c":"12","d":null,"e":true}')).toEqual({
			a: 12345678901234567890n,
			b: [0n, 1.5, 2000, 100, -1n],
			c: "12",
			d: null,
			e: true,
		});
		expect(read(" 7 ")).toBe(7n);
		expect(read('"1 \\" 2 \\\\"')).toBe('1 " 2 \\');
	});

	it("is what the runtime reads, but for integers", () => {
		const plain = (value: ExactJson): unknown =>
			JSON.parse(
				JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? Number(each) : each)),
			);
		fc.assert(
			fc.property(fc.json(), (text) => {
				expect(plain(read(text))).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
			}),
		);
	});

	it.each([
		"{1:2}",
		'{"a":1,}',
		"01",
		"1.",
		"-",
		"1a",
		"--1",
		"1 2",
		'{"a"1}',
		'"1',
		"",
		"[".repeat(100_000),
		`${"[".repeat(1_002)}${"]".repeat(1_002)}`,
		"9".repeat(101),
	])("refuses %j", (text) => {
		expect(() => read(text)).toThrow(SyntaxError);
	});

	it("makes nothing of names that mean something to the runtime", () => {
		const value = read('{"__proto__":{"a":1},"b":1}') as Record<string, unknown>;
		expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
		expect(Object.entries(value)).toEqual([
			["__proto__", { a: 1n }],
			["b", 1n],
		]);
	});
});
