/** What the built program owes to the packages in it. Reads the bundle's source maps, which say what went in. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { packageDirectories } from "../../scripts/notices.js";
import { sourceTrace } from "../../src/diagnostics/stack-trace.js";

interface BundleMap {
	readonly sources: readonly string[];
	readonly sourcesContent?: readonly string[];
}

const maps = readdirSync("dist", { recursive: true, withFileTypes: true })
	.filter(({ name }) => /\.c?js\.map$/.test(name))
	.map((item) => ({
		folder: item.parentPath,
		map: JSON.parse(readFileSync(join(item.parentPath, item.name), "utf8")) as BundleMap,
	}));
const sources = new Set(
	maps.flatMap(({ folder, map }) => map.sources.map((source) => relative(".", resolve(folder, source)))),
);
const notices = readFileSync("dist/THIRD-PARTY-NOTICES.txt", "utf8");

test("the licence of every package with code in the bundle is in its notices", () => {
	// Packages with source maps of their own name sources that they don't ship, some of them outside the package.
	const directories = packageDirectories(sources).filter((path) => existsSync(join(path, "package.json")));
	expect(directories.length).toBeGreaterThan(90);
	for (const directory of directories) {
		const { name, version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Record<
			string,
			string
		>;
		const [, section] = notices.split(`\n${name} ${version} (`);
		expect(section, `${name} ${version}`).toBeDefined();
		expect(section?.slice(0, 4000).toLowerCase(), name).toMatch(/copyright|apache license|blue oak/);
	}
});

test("what is bundled is a development dependency, what is not is a dependency", () => {
	const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Record<
		"dependencies" | "devDependencies",
		Record<string, string>
	>;
	const bundled = packageDirectories(sources).map((directory) => directory.replace(/^.*node_modules\//, ""));
	expect(Object.keys(dependencies).sort()).toEqual(["classic-level", "level"]);
	// The database's JavaScript is in the program's file, its compiled part beside itself; the library takes both from there.
	expect(bundled.filter((name) => name in dependencies)).toEqual(["classic-level", "level"]);
	expect(bundled.filter((name) => name in devDependencies).length).toBeGreaterThan(15);
});

test("source maps don't carry the sources", () => {
	expect(maps.length).toBeGreaterThan(100);
	expect(maps.filter(({ map }) => map.sourcesContent !== undefined)).toEqual([]);
});

test("a position in the bundle is found in the sources", () => {
	const lines = readFileSync("dist/coin.cjs", "utf8").split("\n");
	const line = lines.findIndex((text) => text.includes('"uncaughtException"'));
	const column = (lines[line] as string).indexOf('"uncaughtException"');
	const error = new Error("somewhere");
	error.stack = `Error: somewhere\n    at ${pathToFileURL("dist/coin.cjs")}:${line + 1}:${column + 1}`;
	const [, file, found] = /at (src\/main\.ts):(\d+):/.exec(sourceTrace(error)) ?? [];
	expect(file).toBe("src/main.ts");
	const source = readFileSync("src/main.ts", "utf8").split("\n");
	expect(source[Number(found) - 1]).toContain('"uncaughtException"');
});
