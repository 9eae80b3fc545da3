/**
 * One store of a reference node's data directory, opened for reading only: LevelDB's files or RocksDB's, or both kinds
 * side by side.
 */

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
	/** Closes the files and forgets the logs. */
	close(): void;
}

/** Bounds of what a store may ask for before it is read. */
export interface ForeignStoreOptions {
	/** Bytes of the logs together: they are held in memory while the store is open. Usually 1 GiB. */
	readonly maxLogBytes?: number;
	/** Bytes of a block of a table, packed or not. Usually 128 MiB. */
	readonly maxBlockBytes?: number;
}
