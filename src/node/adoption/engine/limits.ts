/** Resource limits for reading a store. No store written by a reference node reaches any of them. */

import { ANY_BUDGET, type DecodeBudget } from "../../../protocol/codec/budget.js";
import { FormatError } from "./byte-reader.js";

/** Names per directory, and tables per store: half a petabyte in tables of 2 MB. */
export const MAX_FILES = 1_000_000;
/** Sources merged at once, each with an open file and a window in memory. Nodes stop writing at 36 level-0 tables. */
export const MAX_SOURCES = 512;
export const MAX_DATABASE_MANIFEST_BYTES = 512 * 2 ** 20;
/** Bytes of one manifest record: the first names every table. */
export const MAX_EDIT_BYTES = 256 * 2 ** 20;
export const MAX_LEVEL = 63;
export const MAX_LOG_BYTES = 2 ** 30;
/** Total entries of the logs; each takes 24 bytes besides its own. */
export const MAX_LOG_ENTRIES = 2 ** 24;
export const MAX_TABLE_BLOCK_BYTES = 128 * 2 ** 20;
/** No Snappy element turns three bytes into more than 64. */
export const MAX_SNAPPY_RATIO = 22;
/** Memory of all table-reading windows together. */
export const WINDOW_BYTES = 32 * 2 ** 20;
export const MAX_WINDOW_BYTES = 2 * 2 ** 20;
export const MIN_WINDOW_BYTES = 2 ** 16;
/** Blocks per table: 16 GiB at the smallest block size that an engine uses. */
export const MAX_BLOCKS = 2 ** 22;
/** Bytes of a key with its sequence number; the longest are account names, of 200 bytes. */
const MAX_STORE_KEY_BYTES = 4096;
/** Bytes of an index's keys, none of which is longer than price keys. */
export const MAX_INDEX_KEY_BYTES = 512 * 2 ** 20;
/** Names in a metaindex or among properties; RocksDB writes about fifty. */
export const MAX_NAMES = 4096;
/** Bytes of logs, indexes, windows and decompressed blocks held at once, over all open stores. */
const MAX_OPEN_BYTES = 2 ** 31;
/** Overhead of a stored entry, besides the bytes of key and value. */
export const ENTRY_OVERHEAD_BYTES = 300;
/** Bytes of entries buffered until complete: those of checkpoints, and of a store that has to be sorted. */
export const MAX_ENTRIES_BYTES = 2 ** 31;
/** A record of any size whose elements, each an object, still fit in memory: a block has a quarter as many at most. */
export const RECORD_BUDGET: DecodeBudget = { ...ANY_BUDGET, items: 2 ** 22 };

/** @throws {FormatError} if a key is longer than any that a reference node writes */
export function requireKeyLength(length: number): void {
	if (length > MAX_STORE_KEY_BYTES)
		throw new FormatError(`has a key of ${length} bytes, more than ${MAX_STORE_KEY_BYTES}`);
}

/** Memory budget shared by the open stores. Each source has its own limits, but there are hundreds of them. */
export class OpenMemory {
	private held = 0;

	constructor(private readonly limit = MAX_OPEN_BYTES) {}

	/** @throws {FormatError} if it is too much */
	take(bytes: number): void {
		if (this.held + bytes > this.limit) {
			throw new FormatError(
				`asks for memory beyond the ${this.limit} bytes that open stores may hold together`,
			);
		}
		this.held += bytes;
	}

	giveBack(bytes: number): void {
		this.held -= bytes;
	}
}
