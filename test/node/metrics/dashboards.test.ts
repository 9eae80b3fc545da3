import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAMILIES, type Family } from "../../../src/node/metrics/families.js";
import { MetricRegistry } from "../../../src/node/metrics/registry.js";
import { RELEASES } from "../../../src/node/rules/release.js";

const FOLDER = "docs/grafana";
const SUFFIXES = { counter: [""], gauge: [""], histogram: ["_bucket", "_sum", "_count"] } as const;

interface Dashboard {
	readonly uid: string;
	readonly panels: readonly {
		readonly title: string;
		readonly targets: readonly { readonly expr: string }[];
	}[];
}

const boards = readdirSync(FOLDER).map(
	(file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Dashboard,
);
const queries = boards.flatMap(({ uid, panels }) =>
	panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [`${uid}: ${title}`, expr] as const)),
);

/** Series that a page of this program has, with their labels. */
async function knownSeries(): Promise<ReadonlyMap<string, readonly string[]>> {
	const known = new Map<string, readonly string[]>();
	for (const { name, kind, labels } of Object.values<Family>(FAMILIES)) {
		const more = kind === "histogram" ? ["le"] : [];
		for (const suffix of SUFFIXES[kind]) known.set(`coin:${name}${suffix}`, [...labels, ...more]);
	}
	const newest = RELEASES[RELEASES.length - 1] as (typeof RELEASES)[number];
	const { text } = await new MetricRegistry(
		"neutral",
		{ release: newest },
		() => 0n,
		() => undefined,
	).page([], false);
	for (const [, name] of text.matchAll(/^# TYPE (\S+) gauge$/gm))
		if (!known.has(name as string)) known.set(name as string, []);
	return known;
}

test.each(queries)("%s asks for series and labels that there are", async (_, expr) => {
	const known = await knownSeries();
	const names = [...expr.matchAll(/([a-z][a-z_\d]*(?::[a-z_\d]+)?)\{/g)].map(([, name]) => name as string);
	expect(names.length).toBeGreaterThan(0);
	expect(names.filter((name) => !known.has(name))).toEqual([]);
	const labels = names.flatMap((name) => known.get(name) ?? []);
	const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => (list as string).split(", "));
	expect(grouped.filter((label) => !labels.includes(label))).toEqual([]);
	if (expr.includes("_bucket")) expect(grouped).toContain("le");
});

test("dashboards are apart from each other", () => {
	expect(new Set(boards.map(({ uid }) => uid)).size).toBe(boards.length);
	expect(boards.length).toBeGreaterThan(2);
});
