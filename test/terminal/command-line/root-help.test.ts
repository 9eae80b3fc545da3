import { expect, test } from "vitest";
import { rootHelp } from "../../../src/terminal/command-line/root-help.js";

test("topics stand under their tasks, those that no task names at the end, missing ones nowhere", () => {
	const page = rootHelp("1.2.3", [
		{ name: "tx", about: "Transactions" },
		{ name: "fresh", about: "A new topic" },
		{ name: "node", about: "Run a node" },
	]).split("\n");
	expect(page[0]).toMatch(/^coin 1\.2\.3: /);
	expect(page.slice(3, -2).map((line) => line.trim().replace(/ {2,}/g, "|"))).toEqual([
		"Run a chain|node|Run a node",
		"Look things up|tx|Transactions",
		"Also|fresh|A new topic",
	]);
});
