import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generalFlags } from "../../src/terminal/base/coin-command.js";

describe("the manifest", () => {
	const path = fileURLToPath(new URL("../../oclif.manifest.json", import.meta.url));
	const { commands } = JSON.parse(readFileSync(path, "utf8")) as {
		commands: Record<string, { args: object; flags: object; usage?: string; examples?: readonly string[] }>;
	};

	it("has the general flags and a usage for every command, so that help, pages and completion have them", () => {
		for (const [id, { flags, usage }] of Object.entries(commands)) {
			expect({ id, flags: Object.keys(flags) }).toEqual({
				id,
				flags: expect.arrayContaining(Object.keys(generalFlags)),
			});
			expect(usage).toMatch(/\[flags\]|^[<[(]/);
			expect(usage).not.toMatch(/\| *[|\]]/);
			// The words of the command come before it, whichever of its names they are.
			expect(`${usage} `.startsWith(`${id.replaceAll(":", " ")} `)).toBe(false);
		}
	});

	it("has an example for every command that takes arguments", () => {
		const without = Object.entries(commands).filter(
			([, { args, examples = [] }]) => Object.keys(args).length > 0 && examples.length === 0,
		);
		expect(without.map(([id]) => id)).toEqual([]);
	});
});
