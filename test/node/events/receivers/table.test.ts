import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withReceivers } from "../../../../scripts/configuration-page.js";
import { allSettings } from "../../../../src/node/config/settings-table.js";
import { receiverRows } from "../../../../src/node/events/receivers/table.js";

it("has settings and files for each receiver", () => {
	const known = new Set(allSettings.map(({ path }) => path));
	for (const [name, { settings, client }] of receiverRows) {
		expect(Object.keys(settings).filter((path) => !known.has(path))).toEqual([]);
		expect(existsSync(`src/node/events/receivers/${name}.ts`)).toBe(true);
		if (client !== undefined) expect(existsSync(`src/${client}.ts`)).toBe(true);
	}
});

it("is what docs/events.md lists", () => {
	const page = readFileSync("docs/events.md", "utf8");
	expect(withReceivers(page)).toBe(page);
	expect(page).toContain("\n| webhooks | solidified ones |");
	expect(withReceivers("| to | kinds |\n| --- | --- |\n| old | none |\n\nmore\n")).toMatch(
		/Kafka.*\n(.*\n)*\nmore\n$/,
	);
});
