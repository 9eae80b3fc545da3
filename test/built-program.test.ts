import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { staleness } from "./built-program.js";

const BUNDLE = ["dist/coin.cjs", "dist/replay.js", "dist/THIRD-PARTY-NOTICES.txt", "oclif.manifest.json"];
const SOURCES = ["src/main.ts", "src/node/node.ts", "proto/core.proto", "package.json"];
const BUNDLED_AT = 1_000;

let root = "";

function put(path: string, seconds: number): void {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), "");
	utimesSync(join(root, path), seconds, seconds);
}

/** As a build leaves it: folders are as old as what is in them. */
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "coin-stale-"));
	for (const path of BUNDLE) put(path, BUNDLED_AT);
	for (const path of SOURCES) put(path, BUNDLED_AT - 10);
	for (const folder of ["src/node", "src", "proto"])
		utimesSync(join(root, folder), BUNDLED_AT - 10, BUNDLED_AT - 10);
});

afterEach(() => rmSync(root, { recursive: true }));

test("a bundle made after the last edit is taken as it is", () => {
	expect(staleness(root)).toBeUndefined();
});

test.each(SOURCES)("an edit of %s after the bundle was begun asks for another", (path) => {
	utimesSync(join(root, path), BUNDLED_AT + 1, BUNDLED_AT + 1);
	expect(staleness(root)).toBe(`${join(root, path)} is newer than the bundle`);
});

test("a removed source asks for another bundle, by the time of its folder", () => {
	rmSync(join(root, "src/node/node.ts"));
	expect(staleness(root)).toBe(`${join(root, "src/node")} is newer than the bundle`);
});

test.each(BUNDLE)("a bundle without %s is none", (path) => {
	rmSync(join(root, path));
	expect(staleness(root)).toBe(`${path} is missing`);
});
