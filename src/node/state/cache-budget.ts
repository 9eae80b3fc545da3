/** How one number of bytes is shared among all that is kept of a data directory for having been read. */

/** Unless the configuration says otherwise. */
export const CACHE_BYTES = 128 << 20;
/** With less, a block's own reads would push each other out. */
export const MIN_CACHE_BYTES = 16 << 20;

/** What an open table of the database keeps in memory: its index and its filter. Its blocks are mapped, not copied. */
const TABLE_BYTES = 32 << 10;
/** The library keeps some files open for itself, and maps no more than a thousand. */
const MIN_TABLES = 64;
const MAX_TABLES = 4_096;
/**
 * What the database gathers in memory before it writes a table. The larger, the fewer times an entry is written again when tables are
 * merged, and the longer an open after a crash, which reads the log of what was gathered: 0.1 s for 8 MiB.
 */
const MIN_WRITE_BYTES = 4 << 20;
const MAX_WRITE_BYTES = 32 << 20;
/** The library counts its cache in 32 bits. */
const MAX_DATABASE_BYTES = 1 << 30;

export interface CacheBudget {
	/** Decoded values that rules ask for, as large as they are decoded. */
	readonly decodedBytes: number;
	/** Blocks, receipts and the like, which rules don't ask for, and peers that catch up once. */
	readonly historyBytes: number;
	/** Blocks of the database's tables, unpacked. */
	readonly databaseBytes: number;
	/** Tables that the database has open. */
	readonly openTables: number;
	/** What the database gathers before it writes a table, beside the caches; twice that while one is written. */
	readonly writeBytes: number;
	/** Groups of old blocks, unpacked. */
	readonly segmentBytes: number;
}

/** @param bytes of all caches together */
export function shareCacheBytes(bytes: number = CACHE_BYTES): CacheBudget {
	const share = (sixteenths: number): number => Math.floor((bytes * sixteenths) / 16);
	return {
		decodedBytes: share(10),
		historyBytes: share(1),
		databaseBytes: Math.min(share(2), MAX_DATABASE_BYTES),
		openTables: Math.min(Math.max(MIN_TABLES, Math.floor(share(2) / TABLE_BYTES)), MAX_TABLES),
		writeBytes: Math.min(Math.max(MIN_WRITE_BYTES, share(4)), MAX_WRITE_BYTES),
		segmentBytes: share(1),
	};
}
