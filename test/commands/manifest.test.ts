import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generalFlags } from "../../src/terminal/base/coin-command.js";

describe("the manifest", () => {
	const path = fileURLToPath(new URL("../../oclif.manifest.json", import.meta.url));
	const { commands } = JSON.parse(readFileSync(path, "utf8")) as {
		commands: Record<string, { flags: object; usage?: string }>;
	};

	it("has the general flags and a usage for every command, so that help, pages and completion have them", () => {
		for (const [id, { flags, usage }] of Object.entries(commands)) {
			expect({ id, flags: Object.keys(flags) }).toEqual({
				id,
				flags: expect.arrayContaining(Object.keys(generalFlags)),
			});
			expect(usage).toMatch(/\[flags\]|^[a-z]/);
			expect(usage).not.toMatch(/\| *[|\]]/);
		}
	});
});
