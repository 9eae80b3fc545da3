import { describe, expect, it } from "vitest";
import { longForm } from "../../../src/terminal/command-line/short-forms.js";
import { nearest } from "../../../src/wallet/values/suggestion.js";

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
	block: ["show", "find", "follow"],
	tx: ["show", "receipt", "wait"],
	account: ["show", "balance", "create"],
	convert: ["address", "hex", "utf8"],
};
const ID = "ab".repeat(32);

function long(line: string): string {
	const isNear = (word: string, known: readonly string[]) => nearest(word, known).length > 0;
	return longForm(line.split(" "), (topic) => COMMANDS[topic] ?? [], isNear).join(" ");
}

describe("short forms", () => {
	it.each([
		["block 812 --header", "block show 812 --header"],
		["block solid", "block show solid"],
		["block latest", "block show latest"],
		[`tx ${ID}`, `tx show ${ID}`],
		["tx -", "tx show -"],
		["account alice", "account show alice"],
		[
			"account TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC --raw",
			"account show TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC --raw",
		],
		["convert 0x2a", "convert dec 0x2a"],
		["convert 42", "convert hex 42"],
		["convert 25.5coin --json", "convert unit 25.5coin --json"],
		[`convert 41${"e2".repeat(20)}`, `convert address 41${"e2".repeat(20)}`],
		[`convert 0x${"e2".repeat(20)}`, `convert address 0x${"e2".repeat(20)}`],
		["-v", "--version"],
		["version", "--version"],
	])("%s is %s", (line, full) => {
		expect(long(line)).toBe(full);
	});

	it.each([
		"block find 5",
		"block shwo",
		"block --help",
		"tx recipt",
		"account balnce",
		"convert utf8 0x2a",
		"convert utf",
		"account",
		"wallet 5",
		"toString 5",
	])("%s stays as it is", (line) => {
		expect(long(line)).toBe(line);
	});
});
