/** Divides one memory budget among all read caches of a data directory. */

/** The default, unless configured otherwise. */
export const CACHE_BYTES = 128 << 20;
/** With less, a block's own reads would evict each other. */
export const MIN_CACHE_BYTES = 16 << 20;

/** Memory per open table of the database: its index and filter. Its blocks are mapped, not copied. */
const TABLE_BYTES = 32 << 10;
/** The library keeps some files open for itself, and maps at most a thousand. */
const MIN_TABLES = 64;
const MAX_TABLES = 4_096;
/**
 * LevelDB's write buffer. A larger one means less write amplification in compactions, but a slower open after
 * a crash, which replays the log: 0.1 s for 8 MiB.
 */
const MIN_WRITE_BYTES = 4 << 20;
const MAX_WRITE_BYTES = 32 << 20;
/** The library stores its cache size in 32 bits. */
const MAX_DATABASE_BYTES = 1 << 30;

export interface CacheBudget {
	/** Decoded values that rules read, by decoded size. */
	readonly decodedBytes: number;
	/** Blocks, receipts and the like, read by queries and by syncing peers but not by rules. */
	readonly historyBytes: number;
	/** LevelDB's block cache (uncompressed). */
	readonly databaseBytes: number;
	/** Maximum open tables of the database. */
	readonly openTables: number;
	/** LevelDB's write buffer, outside the caches; twice that while one is being written. */
	readonly writeBytes: number;
	/** Groups of old blocks, uncompressed. */
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
