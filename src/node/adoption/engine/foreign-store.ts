/**
 * One store of a reference node's data directory, opened read-only: LevelDB files, RocksDB files, or both
 * side by side (protocol/reference-stores).
 */

import { BlockCursor, INTERNAL_BYTES } from "./block.js";
import { BlockReader, loadXxh3, type ReadingMode } from "./block-reader.js";
import { FormatError } from "./byte-reader.js";
import { ForeignFile, ForeignStoreError } from "./foreign-file.js";
import type { EntrySource, TableKeyOrder } from "./key-order.js";
import {
	MAX_LOG_BYTES,
	MAX_TABLE_BLOCK_BYTES,
	MAX_WINDOW_BYTES,
	MIN_WINDOW_BYTES,
	OpenMemory,
	WINDOW_BYTES,
} from "./limits.js";
import { findFiles, type StoreFiles } from "./store-directory.js";
import { type LocatedTable, TableChain } from "./table-chain.js";
import { readFooter, readLayout } from "./table-format.js";
import { LogEntries } from "./write-ahead-log.js";

/** Number of sampled tables, and of blocks in each, spread evenly over the store. */
const TABLES = 8;
const BLOCKS = 4;

/**
 * Estimates the entries of all tables together, including overwritten and deleted ones.
 * @throws {ForeignStoreError} if what is read isn't as it was written
 */
function estimateEntries(
	tables: readonly LocatedTable[],
	order: TableKeyOrder,
	reading: ReadingMode,
): number {
	let [entries, bytes] = [0, 0];
	for (const table of spread(tables.length, TABLES).map((at) => tables[at] as LocatedTable)) {
		entries += entriesOf(table, order, reading);
		bytes += table.size;
	}
	const all = tables.reduce((sum, { size }) => sum + size, 0);
	return bytes === 0 ? 0 : Math.round((entries / bytes) * all);
}

function entriesOf({ path }: LocatedTable, order: TableKeyOrder, reading: ReadingMode): number {
	const file = new ForeignFile(path);
	let blocks: BlockReader | undefined;
	try {
		const footer = readFooter(file, reading.xxh3);
		blocks = new BlockReader(file, footer, reading);
		const layout = readLayout(file, footer, blocks, order);
		if (layout.entries !== undefined) return layout.entries;
		const cursor = new BlockCursor();
		let counted = 0;
		const places = spread(layout.blocks.length, BLOCKS);
		for (const at of places) {
			const handle = layout.blocks.handle(at);
			if (!handle) continue;
			counted += blocks.parse(handle, "data", (block) => {
				let count = 0;
				for (cursor.open(block); cursor.next(); ) count++;
				return count;
			});
		}
		return places.length === 0 ? 0 : (counted / places.length) * layout.blocks.length;
	} finally {
		(blocks ?? file).close();
	}
}

/** Up to this many positions out of `length`, evenly spread. */
function spread(length: number, count: number): number[] {
	const wanted = Math.min(length, count);
	return Array.from({ length: wanted }, (_, i) => Math.floor(((i + 0.5) * length) / wanted));
}

/** A key and its value. The buffers are reused: copy what is needed after the next step. */
export type ForeignEntry = readonly [key: Uint8Array, value: Uint8Array];

export interface ForeignStore {
	/** Name of its directory, and hence of the store. */
	readonly name: string;
	/** Determined by the files' contents; the mark in `engine.properties` is ignored. */
	readonly engine: "LevelDB" | "RocksDB";
	/** Bytes of its live tables and logs. */
	readonly bytes: number;
	/** How much of these has been read, for progress; restarts with each `entries()`. */
	readonly bytesRead: number;
	/** Sentences about what a kill left unfinished at the end of a log, which is skipped as the engine does. */
	readonly notes: readonly string[];
	/**
	 * Entries in comparator order, each key once with its newest value, read lazily.
	 * @param after leaves out the keys up to and including this one
	 * @throws {ForeignStoreError} as soon as something is read that isn't as it was written
	 */
	entries(after?: Uint8Array): Iterable<ForeignEntry>;
	/** Approximate number of entries; reads a few blocks. @throws {ForeignStoreError} as `entries` */
	estimate(): number;
	/** Closes the files and frees the logs. */
	close(): void;
}

/** Limits on a store's memory use, checked before reading. */
interface ForeignStoreOptions {
	/** Total bytes of logs, held in memory while the store is open. Default: 1 GiB. */
	readonly maxLogBytes?: number;
	/** Bytes of a table block, compressed or not. Default: 128 MiB. */
	readonly maxBlockBytes?: number;
	/** Memory budget shared with other open stores. Default: its own. */
	readonly memory?: OpenMemory;
}

/**
 * Opens a store without writing anything, not even LOCK: nobody else may have it open.
 * @throws {ForeignStoreError} if its files are damaged, missing, or of a form that reference nodes don't write
 */
export async function openForeignStore(
	directory: string,
	options: ForeignStoreOptions = {},
): Promise<ForeignStore> {
	const xxh3 = await loadXxh3();
	const files = findFiles(directory);
	const { maxLogBytes = MAX_LOG_BYTES, maxBlockBytes = MAX_TABLE_BLOCK_BYTES } = options;
	const { memory = new OpenMemory() } = options;
	if (files.logBytes > maxLogBytes) {
		throw new ForeignStoreError(
			directory,
			`has logs of ${files.logBytes} bytes together, more than ${maxLogBytes}: let the reference node open and close it once`,
		);
	}
	return new Store(files, { xxh3, maxBlockBytes, memory });
}

class Store implements ForeignStore {
	readonly name: string;
	readonly engine: "LevelDB" | "RocksDB";
	readonly bytes: number;
	readonly notes: readonly string[];
	private read = 0;
	private logs: LogEntries | undefined;

	constructor(
		private readonly files: StoreFiles,
		private readonly settings: Omit<ReadingMode, "windowBytes">,
	) {
		this.name = files.name;
		this.engine = files.engine;
		this.bytes = files.logBytes + files.tableBytes;
		const logs = readLogs(files, settings.memory);
		this.logs = logs;
		this.notes = [...files.notes, ...logs.notes];
	}

	get bytesRead(): number {
		return Math.min(this.read, this.bytes);
	}

	entries(after?: Uint8Array): Iterable<ForeignEntry> {
		const { logs, files, settings } = this;
		if (!logs) throw new Error(`${this.name} is closed`);
		this.read = files.logBytes;
		const share = Math.floor(WINDOW_BYTES / Math.max(1, files.chains.length));
		const reading = {
			...settings,
			order: files.order,
			after,
			lastSequence: files.manifest.lastSequence,
			windowBytes: Math.max(MIN_WINDOW_BYTES, Math.min(MAX_WINDOW_BYTES, share)),
			onRead: (bytes: number) => {
				this.read += bytes;
			},
		};
		const chains = files.chains.map(
			(tables, rank) =>
				new TableChain(
					rank,
					tables.filter((table) => !this.isBefore(table, after)),
					reading,
				),
		);
		return mergedEntries([logs.source(after), ...chains], files, after);
	}

	estimate(): number {
		const { files, settings, logs } = this;
		const reading = { ...settings, windowBytes: 0 };
		return (logs?.count ?? 0) + estimateEntries(files.chains.flat(), files.order, reading);
	}

	/** Whether none of a table's keys is wanted; it then counts as read. */
	private isBefore({ largest, size }: LocatedTable, after: Uint8Array | undefined): boolean {
		if (
			!after ||
			this.files.order.compare(largest, largest.length - INTERNAL_BYTES, after, after.length) > 0
		) {
			return false;
		}
		this.read += size;
		return true;
	}

	close(): void {
		this.logs?.close();
		this.logs = undefined;
	}
}

/** @throws {ForeignStoreError} */
function readLogs(
	{ directory, order, manifest, logBytes, logs: paths }: StoreFiles,
	memory: OpenMemory,
): LogEntries {
	let logs: LogEntries | undefined;
	try {
		logs = new LogEntries(order, manifest.lastSequence, logBytes, memory);
		for (const path of paths) logs.add(path);
		if (paths[0] !== undefined) logs.sort(paths[0]);
		return logs;
	} catch (error) {
		logs?.close();
		throw namingStore(directory, error);
	}
}

/** Adds the store to an error about it as a whole. */
function namingStore(directory: string, error: unknown): unknown {
	return error instanceof FormatError
		? new ForeignStoreError(directory, `can't be used: it ${error.message}`)
		: error;
}

/** Merges all sources to their ends, then closes them. */
function* mergedEntries(
	sources: readonly EntrySource[],
	{ order, directory }: StoreFiles,
	after: Uint8Array | undefined,
): Generator<ForeignEntry> {
	try {
		yield* merge(sources, order, after);
	} catch (error) {
		throw namingStore(directory, error);
	} finally {
		for (const source of sources) source.close();
	}
}

/** Whether one source's current entry comes before another's: by key, then newest first. */
function isBefore(a: EntrySource, b: EntrySource, order: TableKeyOrder): boolean {
	const difference = order.compare(a.key, a.keyLength, b.key, b.keyLength);
	if (difference !== 0) return difference < 0;
	return a.sequence === b.sequence ? a.rank < b.rank : a.sequence > b.sequence;
}

/** Moves the first source, whose entry changed, to its new position. */
function settle(sources: EntrySource[], order: TableKeyOrder): void {
	const moved = sources[0] as EntrySource;
	let at = 1;
	for (; at < sources.length && isBefore(sources[at] as EntrySource, moved, order); at++) {
		sources[at - 1] = sources[at] as EntrySource;
	}
	sources[at - 1] = moved;
}

function* merge(
	given: readonly EntrySource[],
	order: TableKeyOrder,
	after: Uint8Array | undefined,
): Generator<ForeignEntry> {
	// Sorted by current entry; the first is usually the one of the last level, and stays first.
	const sources: EntrySource[] = [];
	for (const source of given) {
		if (!source.next()) continue;
		sources.unshift(source);
		settle(sources, order);
	}
	let last = Uint8Array.from(after ?? []);
	let lastLength = after ? last.length : -1;
	for (let first = sources[0]; first !== undefined; first = sources[0]) {
		const { key, keyLength } = first;
		const isNew = lastLength < 0 || order.compare(last, lastLength, key, keyLength) < 0;
		if (isNew) {
			if (last.length < keyLength) last = new Uint8Array(2 * keyLength);
			for (let i = 0; i < keyLength; i++) last[i] = key[i] as number;
			lastLength = keyLength;
			if (!first.isDeletion) yield [last.subarray(0, keyLength), first.value()];
		}
		if (!first.next()) sources.shift();
		else if (sources.length > 1) settle(sources, order);
	}
}
