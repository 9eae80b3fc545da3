import { describe, expect, it } from "vitest";
import { splitValues } from "../../../src/terminal/input/stdin.js";

describe("standard input", () => {
	it.each([
		['{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
		['{\n "a": {"b": "}"}\n}{"c":[1]}', ['{\n "a": {"b": "}"}\n}', '{"c":[1]}']],
		['{"a":"\\"}"} 0a0b\n0c', ['{"a":"\\"}"}', "0a0b", "0c"]],
		["[1,2]\n\n", ["[1,2]"]],
		["  \n ", []],
	])("is cut into values: %j", (text, values) => {
		expect(splitValues(text)).toEqual(values);
	});

	it.each(['{"a":1', '{"a":"}', "[[1]"])("is refused when it ends inside a value: %j", (text) => {
		expect(() => splitValues(text)).toThrow("the input ends inside a JSON value");
	});
});
