/**
 * One store of a reference node's data directory, opened for reading only: LevelDB's files or RocksDB's, or both kinds
 * side by side (protocol/reference-stores).
 */

import { INTERNAL_BYTES } from "./block.js";
import { loadXxh3, type Xxh3 } from "./block-checksum.js";
import { estimateEntries } from "./entry-estimate.js";
import { ForeignStoreError } from "./foreign-store-error.js";
import {
	MAX_LOG_BYTES,
	MAX_TABLE_BLOCK_BYTES,
	MAX_WINDOW_BYTES,
	MIN_WINDOW_BYTES,
	WINDOW_BYTES,
} from "./limits.js";
import { mergedEntries } from "./merged-entries.js";
import { findFiles, type StoreFiles } from "./store-directory.js";
import { type LocatedTable, TableChain } from "./table-chain.js";
import { LogEntries } from "./write-ahead-log.js";

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
	if (files.logBytes > maxLogBytes) {
		throw new ForeignStoreError(
			directory,
			`has logs of ${files.logBytes} bytes together, more than ${maxLogBytes}: let the reference node open and close it once`,
		);
	}
	return new Store(files, { xxh3, maxBlockBytes });
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
		private readonly settings: { readonly xxh3: Xxh3; readonly maxBlockBytes: number },
	) {
		const { manifest, order } = files;
		this.name = files.name;
		this.engine = files.engine;
		this.bytes = files.logBytes + files.tableBytes;
		const logs = new LogEntries(order, manifest.lastSequence, files.logBytes);
		for (const path of files.logs) logs.add(path);
		if (files.logs[0] !== undefined) logs.sort(files.logs[0]);
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
		return mergedEntries([logs.source(after), ...chains], files.order, after);
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
		this.logs = undefined;
	}
}
