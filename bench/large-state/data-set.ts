/** Data directories and blocks, created once and cached in the user's cache folder. */

import {
	cpSync,
	existsSync,
	linkSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDataDirectory } from "../../src/node/chain/data-directory.js";
import { DATABASE_FOLDER } from "./network.js";

const FOLDER = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "coin-bench");
const BATCH = 20_000;
/** LevelDB has finished compaction if its files haven't changed for this long. */
const QUIET_MS = 3_000;

/** A database entry, including its store's prefix. */
export type RawEntry = readonly [key: Uint8Array, value: Uint8Array];

/** Cached folder of a data set. @param make fills the given folder */
export async function keptFolder(name: string, make: (folder: string) => Promise<void>): Promise<string> {
	const folder = join(FOLDER, name);
	if (existsSync(folder)) return folder;
	const partial = `${folder}.partial`;
	rmSync(partial, { recursive: true, force: true });
	mkdirSync(partial, { recursive: true });
	await make(partial);
	renameSync(partial, folder);
	return folder;
}

/** Copies a closed data directory; immutable table files are hard-linked. @returns path of the copy */
export function sharedCopy(directory: string): string {
	const copy = join(FOLDER, `copy-${process.pid}`);
	rmSync(copy, { recursive: true, force: true });
	cpSync(directory, copy, { recursive: true, filter: (path) => !path.endsWith(".ldb") });
	for (const name of readdirSync(join(directory, DATABASE_FOLDER))) {
		if (!name.endsWith(".ldb")) continue;
		linkSync(join(directory, DATABASE_FOLDER, name), join(copy, DATABASE_FOLDER, name));
	}
	return copy;
}

/** Writes entries directly into the database of a closed data directory; fastest in ascending order. */
export async function addEntries(directory: string, entries: Iterable<RawEntry>): Promise<void> {
	const database = await openDataDirectory(directory, DATABASE_FOLDER);
	let batch: { readonly key: Uint8Array; readonly value: Uint8Array }[] = [];
	for (const [key, value] of entries) {
		batch.push({ key, value });
		if (batch.length < BATCH) continue;
		await database.write(batch, false);
		batch = [];
	}
	await database.write(batch, true);
	// Waits for compaction: one that is unfinished on close would run again in each copy.
	for (let before = ""; ; ) {
		const now = JSON.stringify(database.levels?.());
		if (now === before) break;
		before = now;
		await sleep(QUIET_MS);
	}
	await database.close();
}

/** Writes encoded blocks to a file, each after its length. */
export function writeBlocks(path: string, blocks: readonly Uint8Array[]): void {
	writeFileSync(
		path,
		Buffer.concat(
			blocks.flatMap((block) => {
				const length = Buffer.alloc(4);
				length.writeUInt32BE(block.length);
				return [length, block];
			}),
		),
	);
}

export function readBlocks(path: string): readonly Uint8Array[] {
	const bytes = readFileSync(path);
	const blocks: Uint8Array[] = [];
	for (let at = 0; at < bytes.length; ) {
		const end = at + 4 + bytes.readUInt32BE(at);
		blocks.push(bytes.subarray(at + 4, end));
		at = end;
	}
	return blocks;
}
