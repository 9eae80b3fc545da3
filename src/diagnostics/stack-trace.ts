/**
 * Stack traces mapped to the sources. The program runs from a bundle; positions are looked up in its source
 * maps when a trace is printed, so nothing is loaded or kept before.
 */

import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** A position in a trace: URL, line and column, from 1. */
const POSITION = /(file:\/\/[^\s()]+):(\d+):(\d+)/g;

/** Maximum errors printed of a chain of causes. */
const MAX_CAUSES = 4;

/** Resolved positions, so that a repeated error reads its source maps only once. */
const found = new Map<string, string>();
const MAX_FOUND = 1000;

/** Reads a text file. @throws {Error} if it doesn't exist */
type ReadText = (path: string) => string;

/** The package contains compressed maps: they are a quarter of its size, and hardly ever read. */
const readText: ReadText = (path) => {
	if (existsSync(path)) return readFileSync(path, "utf8");
	const { gunzipSync } = process.getBuiltinModule("node:zlib");
	return gunzipSync(readFileSync(`${path}.gz`)).toString();
};

/**
 * Formats an error and its causes, one line per frame; positions become `src/….ts:line:column` where a source
 * map covers them.
 * @param read reads a source map
 */
export function sourceTrace(error: unknown, read: ReadText = readText): string {
	const parts: string[] = [];
	for (let at: unknown = error; parts.length < MAX_CAUSES && at !== undefined; at = causeOf(at)) {
		const text = at instanceof Error ? (at.stack ?? `${at.name}: ${at.message}`) : String(at);
		parts.push(sourcePositions(text, read));
	}
	return parts.join("\ncaused by: ");
}

/** The first position of a trace in our own sources, such as `src/main.ts:12:3`, if any. */
export function firstSource(trace: string): string | undefined {
	return /\bsrc\/[^\s():]+\.ts:\d+:\d+/.exec(trace)?.[0];
}

function causeOf(error: unknown): unknown {
	return error instanceof Error ? error.cause : undefined;
}

function sourcePositions(text: string, read: ReadText): string {
	const maps = new Map<string, SourceMap | undefined>();
	return text.replace(POSITION, (position, url: string, line: string, column: string) => {
		const known = found.get(position);
		if (known !== undefined) return known;
		if (!maps.has(url)) maps.set(url, readMap(url, read));
		const source = sourceOf(maps.get(url), url, Number(line), Number(column)) ?? position;
		if (found.size >= MAX_FOUND) found.clear();
		found.set(position, source);
		return source;
	});
}

/** The source map of a bundled file; undefined if missing or unreadable. */
function readMap(url: string, read: ReadText): SourceMap | undefined {
	try {
		return new SourceMap(JSON.parse(read(`${fileURLToPath(url)}.map`)) as never);
	} catch {
		return undefined;
	}
}

function sourceOf(map: SourceMap | undefined, url: string, line: number, column: number): string | undefined {
	const entry = map?.findEntry(line - 1, column - 1);
	// Outside every mapping the entry is empty, contrary to its type.
	if (entry === undefined || !("originalSource" in entry)) return undefined;
	const path = fileURLToPath(new URL(entry.originalSource, url));
	const bundle = url.lastIndexOf("/dist/");
	const shown = bundle < 0 ? path : relative(fileURLToPath(url.slice(0, bundle + 1)), path);
	return `${shown.replaceAll("\\", "/")}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
