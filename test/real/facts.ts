/** Reading the facts of public chains: of test/golden/real, or of another folder of their kind (`npm run tool check:real`). */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect } from "vitest";

const OWN = "test/golden/real";
const FOLDER = process.env["COIN_REAL_FACTS"] ?? OWN;

/** The value of a file, compressed where its name ends with `.br`. */
export function facts<T>(file: string): T {
	const bytes = readFileSync(join(FOLDER, file));
	const text = file.endsWith(".br") ? brotliDecompressSync(bytes) : bytes;
	return JSON.parse(text.toString("utf8")) as T;
}

export const hasFacts = (file: string): boolean => existsSync(join(FOLDER, file));

/** Files of the folder by their paths, without those that explain it. */
export function factFiles(): string[] {
	return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
		.map((name) => name.replaceAll("\\", "/"))
		.filter((name) => /\.json(\.br)?$/.test(name))
		.sort();
}

/** Files of one of its folders. */
export const factFilesIn = (folder: string): string[] =>
	factFiles().filter((name) => name.startsWith(`${folder}/`));

/** Holds how many facts there are: all in our own folder, some in another. */
export function expectCount(found: number, own: number): void {
	if (FOLDER === OWN) expect(found).toBe(own);
	else expect(found).toBeGreaterThan(0);
}
