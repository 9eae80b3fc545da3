/** Data directories and blocks that are made once and kept, in the folder of the user's caches. */

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
/** LevelDB has nothing left to do when its files have been the same for so long. */
const QUIET_MS = 3_000;

/** An entry of the database, its store's prefix included. */
export type RawEntry = readonly [key: Uint8Array, value: Uint8Array];

/** The folder of a data set. @param make fills the folder that it is given */
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

/** Copies a closed data directory beside the data sets; tables never change, so they are shared. @returns the copy */
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

/** Writes entries straight into the database of a closed data directory; in ascending order it takes the least time. */
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
	// A table that a close leaves unfinished would be written anew by the first copy, in the original.
	for (let before = ""; ; ) {
		const now = JSON.stringify(database.levels?.());
		if (now === before) break;
		before = now;
		await sleep(QUIET_MS);
	}
	await database.close();
}

/** Keeps encoded blocks in a file: each behind its length. */
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
