import { describe, expect, it, test } from "vitest";
import { firstDue, plainSigns, refusedUntil, tableLines } from "../../../src/terminal/output/output.js";
import { Failure } from "../../../src/wallet/failure.js";

describe("a table", () => {
	const rows = [
		{ name: "getaccount", about: "an account, with all that it has staked and voted for" },
		{ name: "getblock", about: "a block" },
	];
	const table = (width: number | undefined): string[] => tableLines(rows, ["name", "about"], "none", width);

	it("has a line a row where it fits, and where nobody knows the width", () => {
		expect(table(undefined)).toHaveLength(3);
		expect(table(100)).toEqual(table(undefined));
	});

	it("goes on in its last column where the terminal is narrow", () => {
		expect(table(40).slice(1)).toEqual([
			"getaccount  an account, with all that it",
			"            has staked and voted for",
			"getblock    a block",
		]);
	});

	it("prints rows as lines of their own where not even that fits", () => {
		const lines = table(20);
		expect(lines).toHaveLength(5);
		expect(lines[0]).toMatch(/^name +getaccount$/);
	});
});

describe("our own signs", () => {
	it.each([
		[{ LC_ALL: "C", LANG: "en_US.UTF-8" }, "a -> b..."],
		[{ LC_ALL: "", LANG: "POSIX" }, "a -> b..."],
		[{ LANG: "C.UTF-8" }, "a → b…"],
		[{}, "a → b…"],
	])("are those of the locale %j", (environment, expected) => {
		expect(plainSigns("a → b…", environment)).toBe(expected);
	});
});

test("a refusal that ends by itself says when, and that it can be tried then", () => {
	const refused = refusedUntil(new Failure("contract_validate", "too early"), 5_000n, "it can be withdrawn");
	expect(refused).toMatchObject({ code: "contract_validate", message: "too early", retry: "later" });
	expect(refused.facts.details).toEqual({ due: "5000" });
	expect(refused.facts.hint).toMatch(/^it can be withdrawn from .*1970/);
});

test("the first of several times is the earliest", () => {
	expect(firstDue([7n, 3n, 5n])).toBe(3n);
	expect(firstDue([])).toBeUndefined();
});
