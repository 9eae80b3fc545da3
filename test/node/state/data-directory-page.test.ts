import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { storeDefinitions } from "../../../src/node/state/definition.js";

test("docs/data-directory.md has the key prefix of every store", () => {
	const page = readFileSync("docs/data-directory.md", "utf8");
	const rows = [...page.matchAll(/^\| `([0-9a-f]{2})` \| `([\w-]+)` \|$/gm)].map(([, prefix, name]) => ({
		prefix,
		name,
	}));
	const stores = storeDefinitions.map(({ index, name }) => ({
		prefix: index.toString(16).padStart(2, "0"),
		name,
	}));
	expect(rows).toEqual(stores);
	const last = stores.at(-1)?.prefix;
	expect(page).toContain(`| \`00\` to \`${last}\` |`);
});
