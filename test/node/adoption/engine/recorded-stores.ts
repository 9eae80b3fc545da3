/**
 * Small stores cut from data directories of reference nodes (4.8.0 with LevelDB 1.8 and RocksDB 5.15.10, and RocksDB
 * 9.7.4), with the entries that the reference has after opening them. OPTIONS files are empty here.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { ForeignStoreError } from "../../../../src/node/adoption/engine/foreign-file.js";
import { openForeignStore } from "../../../../src/node/adoption/engine/foreign-store.js";

interface RecordedStore {
	readonly files: ReadonlyMap<string, Buffer>;
	readonly entries: Readonly<Record<string, string>>;
}

/** By `<directory>/<store>`. */
export const recordedStores: ReadonlyMap<string, RecordedStore> = new Map(
	Object.entries(
		JSON.parse(
			brotliDecompressSync(readFileSync("test/golden/reference-stores/stores.json.br")).toString(),
		) as Record<string, { files: Record<string, string>; entries: Record<string, string> }>,
	).map(([name, { files, entries }]) => [
		name,
		{
			files: new Map(Object.entries(files).map(([file, text]) => [file, Buffer.from(text, "base64")])),
			entries,
		},
	]),
);

export function recordedStore(name: string): RecordedStore {
	const store = recordedStores.get(name);
	if (!store) throw new Error(`${name} isn't recorded`);
	return store;
}

/** Calls with a directory of its own for a store of this name, and removes it. */
export async function inDirectory<T>(name: string, use: (directory: string) => Promise<T>): Promise<T> {
	const root = mkdtempSync(join(tmpdir(), "coin-foreign-"));
	try {
		const directory = join(root, name.slice(name.indexOf("/") + 1));
		mkdirSync(directory);
		return await use(directory);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

export function writeFiles(directory: string, files: Iterable<readonly [string, Uint8Array]>): void {
	for (const [name, bytes] of files) writeFileSync(join(directory, name), bytes);
}

export interface Read {
	readonly engine: string;
	/** In hex, in the order in which they came. */
	readonly entries: Readonly<Record<string, string>>;
	readonly notes: readonly string[];
}

export async function readAll(directory: string, after?: Uint8Array): Promise<Read> {
	const store = await openForeignStore(directory);
	try {
		const entries: Record<string, string> = {};
		for (const [key, value] of store.entries(after)) {
			entries[`k${Buffer.from(key).toString("hex")}`] = Buffer.from(value).toString("hex");
		}
		return {
			engine: store.engine,
			entries: Object.fromEntries(Object.entries(entries).map(([key, value]) => [key.slice(1), value])),
			notes: store.notes,
		};
	} finally {
		store.close();
	}
}

/** What reading a store comes to: its entries, or the sentence that refuses it. */
export async function outcome(directory: string): Promise<Read | ForeignStoreError> {
	try {
		return await readAll(directory);
	} catch (error) {
		if (error instanceof ForeignStoreError) return error;
		throw error;
	}
}

/** Places in a file of records where one ends: what is cut off there can't be told from what was never written. */
export function recordEnds(bytes: Buffer): ReadonlySet<number> {
	const ends = new Set([0]);
	for (let at = 0; at + 7 <= bytes.length; ) {
		const rest = 32_768 - (at % 32_768);
		if (rest < 7) {
			at += rest;
			continue;
		}
		if (bytes[at + 6] === 0) {
			// Room taken in advance, of any length.
			for (let end = at; end <= bytes.length; end++) ends.add(end);
			break;
		}
		at += 7 + bytes.readUInt16LE(at + 4);
		ends.add(at);
	}
	return ends;
}
