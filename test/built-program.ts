/**
 * Before the first test of a project that starts the program: bundles it when a source is newer than the bundle, so that
 * no test passes on old code. The manifest of commands bears the time at which its bundle was begun.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** What goes into the bundle, or decides how it is made. */
const SOURCES = ["src", "proto", "bench", "scripts", "tools", "package.json", "package-lock.json"];
const BUNDLE = ["dist/coin.cjs", "dist/replay.js", "dist/THIRD-PARTY-NOTICES.txt"];
const MARK = "oclif.manifest.json";

/** @returns the first reason to bundle again that is found; undefined: the bundle is of these sources */
export function staleness(root: string): string | undefined {
	const missing = [...BUNDLE, MARK].find((path) => !existsSync(join(root, path)));
	if (missing !== undefined) return `${missing} is missing`;
	const bundledMs = statSync(join(root, MARK)).mtimeMs;
	for (const source of SOURCES) {
		const newer = newerThan(bundledMs, join(root, source));
		if (newer !== undefined) return `${newer} is newer than the bundle`;
	}
	return undefined;
}

/** A file at or below the path that was written after the time; a folder's own time tells of removed files. */
function newerThan(timeMs: number, path: string): string | undefined {
	const status = statSync(path, { throwIfNoEntry: false });
	if (status === undefined) return undefined;
	if (status.mtimeMs > timeMs) return path;
	if (!status.isDirectory()) return undefined;
	for (const name of readdirSync(path)) {
		const newer = newerThan(timeMs, join(path, name));
		if (newer !== undefined) return newer;
	}
	return undefined;
}

/** Called by vitest, once for each project that names this file; the second finds the bundle of the first. */
export function setup(): void {
	const reason = staleness(".");
	if (reason === undefined) return;
	process.stderr.write(`bundling the program: ${reason}\n`);
	execFileSync("npm", ["run", "--silent", "build"], { stdio: ["ignore", "ignore", "inherit"] });
}
