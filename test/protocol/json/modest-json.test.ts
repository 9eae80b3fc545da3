import { describe, expect, it } from "vitest";
import { isModestJson, repeatedMember } from "../../../src/protocol/json/modest-json.js";

const isModest = (text: string): boolean => isModestJson(text, { values: 1_000_000, depth: 64 });

describe("JSON from outside", () => {
	it("may have long texts and pages of keys, whatever the texts hold", () => {
		expect(isModest(JSON.stringify({ keys: Array.from({ length: 10_000 }, () => "AAAA") }))).toBe(true);
		const texts = ["[".repeat(1_000), `\\"${"[".repeat(1_000)}`, "\\", ",".repeat(2_000_000), '"'];
		expect(isModest(JSON.stringify(texts))).toBe(true);
		expect(isModest('"never ended')).toBe(true);
	});

	it.each([
		["nested too deeply", "[".repeat(65)],
		["behind a text that ends with a backslash", `["\\\\",${"[".repeat(65)}`],
		["of objects in objects", '{"a":'.repeat(65)],
		["of too many lists", "[],".repeat(500_001)],
		["of too many numbers", "0,".repeat(1_000_001)],
	])("is refused %s", (_, text) => {
		expect(isModest(text)).toBe(false);
	});
});

describe("a name that one object has twice", () => {
	it.each([
		["beside each other", '{"a":1,"b":2,"a" : 3}'],
		["around an object", '{"a":{"b":[{}]},"a":{}}'],
		["in an inner object", '[{"a":1},{"b":{"a":[],"a":[]}}]'],
		["in another spelling", '{"a":1,"\\u0061":2}'],
	])("is found %s", (_, text) => {
		expect(repeatedMember(text)).toBe("a");
	});

	it.each([
		["in two objects", '[{"a":{"a":1}},{"a":2}]'],
		["as values", '{"a":"a","b":"a","c":["a","a"]}'],
		["in a text", JSON.stringify({ a: '{"a":1,"a":2}' })],
	])("isn't one %s", (_, text) => {
		expect(repeatedMember(text)).toBeUndefined();
	});
});
