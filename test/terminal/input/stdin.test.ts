import { describe, expect, it } from "vitest";
import { readEach, splitValues } from "../../../src/terminal/input/stdin.js";
import { Failure } from "../../../src/wallet/failure.js";

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

	it("as a list leaves out blank lines and comments, and names every line that stands for nothing", async () => {
		const read = (value: string): string => {
			if (value.length > 1) throw new Failure("bad_value", `"${value}" is long`);
			return value;
		};
		const list = (text: string): Promise<string[]> => readEach({ text, fromStdin: true }, read);
		expect(await list("a\r\n\n# no\n b \n")).toEqual(["a", "b"]);
		await expect(list("a\n\nbc\nd\nef\n")).rejects.toMatchObject({
			code: "bad_value",
			message: 'line 3: "bc" is long; line 5: "ef" is long',
			facts: { index: 1, details: { line: 3, refused: [{ line: 3 }, { line: 5 }] } },
		});
		await expect(readEach({ text: "bc", fromStdin: false }, read)).rejects.toThrow(/^"bc" is long$/);
	});
});
