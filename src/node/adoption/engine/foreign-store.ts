/**
 * One store of a reference node's data directory, opened for reading only: LevelDB's files or RocksDB's, or both kinds
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

/** Tables that are looked into, and blocks of each, evenly over the store. */
const TABLES = 8;
const BLOCKS = 4;

/**
 * Entries of all tables together, those that others replace or delete too.
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

/** Up to so many places among `length`, evenly over them. */
function spread(length: number, count: number): number[] {
	const wanted = Math.min(length, count);
	return Array.from({ length: wanted }, (_, i) => Math.floor(((i + 0.5) * length) / wanted));
}

/** A key and its value. The buffers are the reader's own: copy what is needed after the next step. */
export type ForeignEntry = readonly [key: Uint8Array, value: Uint8Array];

export interface ForeignStore {
	/** Name of its directory, which is the name of the store. */
	readonly name: string;
	/** Whose files they are, by what is in them: the mark in `engine.properties` isn't asked. */
	readonly engine: "LevelDB" | "RocksDB";
	/** Bytes of the files that make up its contents: live tables and logs. */
	readonly bytes: number;
	/** Bytes of these that have been read, for progress; starts again with each `entries()`. */
	readonly bytesRead: number;
	/** Sentences about what a kill left unfinished at the end of a log, and was left out as the engine leaves it out. */
	readonly notes: readonly string[];
	/**
	 * Its entries in the order of its comparator, each key once with its newest value, read while they are walked.
	 * @param after leaves out the keys up to and including this one
	 * @throws {ForeignStoreError} as soon as something is read that isn't as it was written
	 */
	entries(after?: Uint8Array): Iterable<ForeignEntry>;
	/** About how many entries it has; reads a few blocks. @throws {ForeignStoreError} as `entries` */
	estimate(): number;
	/** Closes the files and forgets the logs. */
	close(): void;
}

/** Bounds of what a store may ask for before it is read. */
interface ForeignStoreOptions {
	/** Bytes of the logs together: they are held in memory while the store is open. Usually 1 GiB. */
	readonly maxLogBytes?: number;
	/** Bytes of a block of a table, packed or not. Usually 128 MiB. */
	readonly maxBlockBytes?: number;
	/** What this store shares with others that are open. Usually its own. */
	readonly memory?: OpenMemory;
}

/**
 * Opens a store without writing anything, LOCK included: nobody else may have it open.
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

	/** Whether all of a table's keys are left out; counted as read then. */
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

/** What is wrong with a store as a whole. */
function namingStore(directory: string, error: unknown): unknown {
	return error instanceof FormatError
		? new ForeignStoreError(directory, `can't be used: it ${error.message}`)
		: error;
}

/** Walks all sources to their ends and closes them. */
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

/** Whether the present entry of one source comes before that of another: by key, of one key the newest. */
function isBefore(a: EntrySource, b: EntrySource, order: TableKeyOrder): boolean {
	const difference = order.compare(a.key, a.keyLength, b.key, b.keyLength);
	if (difference !== 0) return difference < 0;
	return a.sequence === b.sequence ? a.rank < b.rank : a.sequence > b.sequence;
}

/** Moves the first source, whose present entry is another now, to where it belongs. */
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
	// Sorted by their present entries; the first is usually the one of the last level, and stays it.
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
