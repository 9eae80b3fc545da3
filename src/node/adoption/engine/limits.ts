/** What the files of a store may ask for. None is reached by a store that a reference node wrote. */

import { ANY_BUDGET, type DecodeBudget } from "../../../protocol/codec/budget.js";
import { FormatError } from "./byte-reader.js";

/** Names in a directory, and tables of a store: half a petabyte in tables of 2 MB. */
export const MAX_FILES = 1_000_000;
/** Sources that are merged at once; each has a file open and a window in memory. Nodes stop writing at 36 tables on level 0. */
export const MAX_SOURCES = 512;
export const MAX_DATABASE_MANIFEST_BYTES = 512 * 2 ** 20;
/** Bytes of one record of a manifest: the first names every table. */
export const MAX_EDIT_BYTES = 256 * 2 ** 20;
export const MAX_LEVEL = 63;
export const MAX_LOG_BYTES = 2 ** 30;
/** Entries of the logs together; each takes 24 bytes beside its own. */
export const MAX_LOG_ENTRIES = 2 ** 24;
export const MAX_TABLE_BLOCK_BYTES = 128 * 2 ** 20;
/** No element of Snappy makes more than 64 bytes of three. */
export const MAX_SNAPPY_RATIO = 22;
/** Memory of all windows through which tables are read. */
export const WINDOW_BYTES = 32 * 2 ** 20;
export const MAX_WINDOW_BYTES = 2 * 2 ** 20;
export const MIN_WINDOW_BYTES = 2 ** 16;
/** Blocks of a table: 16 GiB in the smallest that an engine makes. */
export const MAX_BLOCKS = 2 ** 22;
/** Bytes of a key, with its sequence number; names of accounts, of 200 bytes, are the longest that are keys. */
const MAX_STORE_KEY_BYTES = 4096;
/** Bytes of the keys of an index, none of which is longer than those of prices. */
export const MAX_INDEX_KEY_BYTES = 512 * 2 ** 20;
/** Names in a metaindex or among properties; RocksDB writes about fifty. */
export const MAX_NAMES = 4096;
/** Bytes of logs, indexes, windows and unpacked blocks that are held at once, over all stores that are open. */
const MAX_OPEN_BYTES = 2 ** 31;
/** What an entry that is kept takes beside the bytes of its key and its value. */
export const ENTRY_OVERHEAD_BYTES = 300;
/** Bytes of entries that are kept until all of them are there: those of the checkpoints, those of a store that is sorted. */
export const MAX_ENTRIES_BYTES = 2 ** 31;
/** A record of any size whose elements, each an object of its own, still fit the memory: a block has a quarter as many at most. */
export const RECORD_BUDGET: DecodeBudget = { ...ANY_BUDGET, items: 2 ** 22 };

/** @throws {FormatError} if a key is longer than any that a reference node writes */
export function requireKeyLength(length: number): void {
	if (length > MAX_STORE_KEY_BYTES)
		throw new FormatError(`has a key of ${length} bytes, more than ${MAX_STORE_KEY_BYTES}`);
}

/** What the stores that are open hold together. Each source is within its own bounds, and there are hundreds. */
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
