/** Reading the facts of public chains (test/golden/real). */

import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

const FOLDER = "test/golden/real";

/** The value of a file, compressed where its name ends with `.br`. */
export function facts<T>(file: string): T {
	const bytes = readFileSync(`${FOLDER}/${file}`);
	const text = file.endsWith(".br") ? brotliDecompressSync(bytes) : bytes;
	return JSON.parse(text.toString("utf8")) as T;
}
