/** Commands that the pages for operators name exist, with the flags that stand there. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/commands/table.js";

/** `coin …` in a page, by words. */
function commandsIn(page: string): string[][] {
	const quoted = readFileSync(page, "utf8").matchAll(/`coin ((?:node|chain|block)\b[^`]*)`/g);
	return [...quoted].map(([, words]) => (words as string).replaceAll(/\s+/g, " ").split(" "));
}

test.each([
	["docs/first-steps.md", 10],
	["docs/operations.md", 10],
])("%s", async (page, least) => {
	const commands = commandsIn(page);
	expect(commands.length).toBeGreaterThanOrEqual(least);
	for (const words of commands) {
		// `coin block 812` is short for `coin block show 812`.
		const ids = [...[3, 2, 1].map((count) => words.slice(0, count).join(":")), `${words[0]}:show`];
		const load = ids.map((id) => COMMANDS[id]).find((found) => found !== undefined);
		// Several subcommands, named at once.
		if (load === undefined && words[1] === "db") continue;
		if (load === undefined) throw new Error(`there is no command ${words.join(" ")}`);
		const { flags = {}, baseFlags = {} } = await load();
		const known = { ...baseFlags, ...flags } as Readonly<Record<string, { readonly char?: string }>>;
		const chars = Object.values(known).map(({ char }) => `-${char}`);
		const names = [...Object.keys(known).map((name) => `--${name}`), ...chars];
		const given = words.filter((word) => word.startsWith("-")).map((word) => word.replace(/=.*/, ""));
		expect([words.join(" "), given.filter((word) => !names.includes(word))]).toEqual([words.join(" "), []]);
	}
});
