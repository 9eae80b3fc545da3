import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generalFlags } from "../../src/terminal/base/coin-command.js";

describe("the manifest", () => {
	const path = fileURLToPath(new URL("../../oclif.manifest.json", import.meta.url));
	const { commands } = JSON.parse(readFileSync(path, "utf8")) as {
		commands: Record<
			string,
			{
				aliases: readonly string[];
				flags: Readonly<Record<string, { required?: boolean }>>;
				usage?: string;
				examples?: readonly string[];
			}
		>;
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

	it("has an example for every command, of commands and flags that there are", () => {
		const byWords = new Map(
			Object.entries(commands).flatMap(([id, command]) =>
				[id, ...command.aliases].map((name) => [name.replaceAll(":", " "), command] as const),
			),
		);
		for (const [id, { examples = [] }] of Object.entries(commands)) {
			expect({ id, count: examples.length }).not.toEqual({ id, count: 0 });
			const lines = examples.flatMap((one) => [...one.matchAll(/<%= config\.bin %> ([^|>;&]*)/g)]);
			for (const [, line = ""] of lines) {
				const words = line.trim().split(/\s+/);
				const named = [3, 2, 1].map((count) => byWords.get(words.slice(0, count).join(" ")));
				const flags = named.find((command) => command !== undefined)?.flags ?? {};
				const given = Array.from(line.matchAll(/(?<=\s)--([a-z][\w-]*)/g), ([, name = ""]) => name);
				const unknown = given.filter((name) => !(name in flags) && !(name.replace(/^no-/, "") in flags));
				const needed = Object.keys(flags).filter((name) => flags[name]?.required);
				// Further flags of rpc are fields of the request.
				expect({ line, unknown: words[0] === "rpc" ? [] : unknown }).toEqual({ line, unknown: [] });
				expect({ line, given }).toEqual({ line, given: expect.arrayContaining(needed) });
			}
		}
	});
});
