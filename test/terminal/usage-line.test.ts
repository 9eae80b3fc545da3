import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generalFlags } from "../../src/terminal/coin-command.js";
import { usageLine } from "../../src/terminal/usage-line.js";

describe("the usage of a command", () => {
	it("names the arguments and the flags that must be there", () => {
		const command = {
			args: { amount: { name: "amount", required: true }, more: { name: "more" } },
			flags: { for: { name: "for", required: true, helpValue: "<resource>" }, from: { name: "from" } },
		};
		expect(usageLine(command)).toBe("<amount> [more] --for <resource> [flags]");
		expect(usageLine({ ...command, strict: false })).toContain("<amount> [more]... ");
	});
});

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
