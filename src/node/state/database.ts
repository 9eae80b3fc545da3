/** The ordered key-value database under the state: LevelDB, or memory for ephemeral chains. */

import { setImmediate as otherTurns } from "node:timers/promises";
import type { Level } from "level";
import { toKey } from "../../protocol/bytes.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { type CacheBudget, shareCacheBytes } from "./cache-budget.js";
import { DamagedFileError, Inventory } from "./inventory.js";

/** One change of an atomic batch; a null value deletes. */
export interface BatchChange {
	readonly key: Uint8Array;
	readonly value: Uint8Array | null;
}

/** Changes applied atomically; a batch that isn't written must be dropped. */
export interface WriteBatch {
	readonly put: (change: BatchChange) => void;
	/** Like {@link KeyValueDatabase.write}. */
	write(sync: boolean): Promise<void>;
	drop(): Promise<void>;
}

/** Starts a batch; for a database without native batches, changes are collected until it is written. */
export function beginBatch(database: KeyValueDatabase): WriteBatch {
	if (database.batch) return database.batch();
	const changes: BatchChange[] = [];
	return {
		put: (change) => changes.push(change),
		write: (sync) => database.write(changes, sync),
		drop: async () => {},
	};
}

/** The files of a LevelDB in one of its levels. */
export interface DatabaseLevel {
	readonly level: number;
	readonly files: number;
	readonly bytes: number;
}

/** Entries between two keys, in either order. */
type ReadRange = (
	from: Uint8Array,
	end: Uint8Array,
	options: { readonly descending: boolean; readonly limit: number },
) => Promise<readonly (readonly [Uint8Array, Uint8Array])[]>;

/** A snapshot; keeps old files on disk until it is closed. */
export interface DatabaseMoment {
	readonly range: ReadRange;
	entries(prefix: Uint8Array): AsyncIterable<readonly [Uint8Array, Uint8Array]>;
	close(): Promise<void>;
}

export interface KeyValueDatabase {
	get(key: Uint8Array): Uint8Array | undefined;
	/** The values of several keys, read on other threads; absent: that wouldn't be faster. */
	getMany?(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
	/** Applies all changes atomically. With `sync` it resolves once they are on disk. */
	write(changes: readonly BatchChange[], sync: boolean): Promise<void>;
	/** The same for changes handed over one by one, so they needn't all be in memory; absent: use {@link write}. */
	batch?(): WriteBatch;
	/** Entries whose key starts with these bytes, ascending. */
	entries(prefix: Uint8Array): AsyncIterable<readonly [Uint8Array, Uint8Array]>;
	/** The first key at or after `from` and before `end`. */
	firstKey(from: Uint8Array, end: Uint8Array): Promise<Uint8Array | undefined>;
	/** Entries between two keys, in either order; absent: not needed for this database. */
	range?: ReadRange;
	/** A snapshot of the current contents, unaffected by later writes; absent: nothing is written while it is read. */
	moment?(): DatabaseMoment;
	/** What is on disk, without the log of the newest changes; absent: nothing. */
	levels?(): readonly DatabaseLevel[];
	/** Resolves if all files are as they were left, rejects if not. Small ones are compared before the open returns. */
	readonly compared?: Promise<void>;
	close(): Promise<void>;
}

/** The data directory can't be used; the message is one sentence for the operator. */
export class DatabaseError extends OperatorError {
	override readonly name: string = "DatabaseError";
}

/** Database files are corrupt: their contents can't be read any more. */
export class DamagedDatabaseError extends DatabaseError {
	override readonly name = "DamagedDatabaseError";
}

/** A log up to this size is replayed quickly at the next open. */
const SHORT_LOG_BYTES = 2 << 20;
/** LevelDB compacts the newest tables when there are this many. */
const MERGED_TABLES = 4;
/** Greater than any key. */
const LAST_KEY = new Uint8Array(33).fill(255);
/** Handing over a change takes about a microsecond. */
const SLICE_CHANGES = 2_000;
/** Listing costs time per table, so it waits until this share of their bytes has been written. */
const LISTING_SHARE = 1 / 256;

/** Loads the native engine; in-memory chains don't need it. */
export const loadLevelDatabase = (): Promise<typeof import("level")> => import("level");

/** Opens or creates the LevelDB in a directory. @throws {DatabaseError} if it is in use, damaged or unwritable */
export async function openLevelDatabase(
	directory: string,
	{ databaseBytes, openTables, writeBytes }: CacheBudget = shareCacheBytes(),
): Promise<KeyValueDatabase> {
	const inventory = await openInventory(directory);
	const { Level } = await loadLevelDatabase();
	const db = new Level<Uint8Array, Uint8Array>(directory, {
		keyEncoding: "buffer",
		valueEncoding: "buffer",
		cacheSize: databaseBytes,
		writeBufferSize: writeBytes,
		maxOpenFiles: openTables,
	});
	try {
		await db.open();
	} catch (error) {
		throw openFailure(directory, error);
	}
	return new LevelDatabase(directory, db, inventory, writeBytes);
}

async function openInventory(directory: string): Promise<Inventory> {
	try {
		return await Inventory.open(directory);
	} catch (error) {
		throw openFailure(directory, error);
	}
}

class LevelDatabase implements KeyValueDatabase {
	readonly compared: Promise<void>;
	/** Bytes written since the tables were last listed, and the total size of the tables then. */
	private unlistedBytes = 0;
	private listedBytes = 0;
	private writtenBytes = 0;
	private listing: Promise<void>;

	constructor(
		private readonly directory: string,
		private readonly db: Level<Uint8Array, Uint8Array>,
		private readonly inventory: Inventory,
		/** LevelDB starts a new table about every this many bytes. */
		private readonly tableBytes: number,
	) {
		this.listing = this.listTables();
		this.compared = inventory.compareRest().catch((error: unknown) => {
			throw openFailure(directory, error);
		});
		// Callers that need the outcome await it.
		this.compared.catch(() => {});
	}

	get(key: Uint8Array): Uint8Array | undefined {
		try {
			return this.db.getSync(key);
		} catch (error) {
			throw this.failure("read", error);
		}
	}

	async getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
		try {
			return await this.db.getMany([...keys]);
		} catch (error) {
			throw this.failure("read", error);
		}
	}

	batch(): WriteBatch {
		const batch = this.begun();
		let bytes = 0;
		return {
			put: ({ key, value }) => {
				if (value === null) batch.del(key);
				else batch.put(key, value);
				bytes += key.length + (value?.length ?? 0);
			},
			write: async (sync) => {
				try {
					await batch.write({ sync });
				} catch (error) {
					throw this.failure("written", error);
				}
				this.noteWritten(bytes);
			},
			drop: () => batch.close(),
		};
	}

	private begun(): ReturnType<typeof this.db.batch> {
		try {
			return this.db.batch();
		} catch (error) {
			throw this.failure("written", error);
		}
	}

	async write(changes: readonly BatchChange[], sync: boolean): Promise<void> {
		if (changes.length === 0) return;
		const batch = this.batch();
		try {
			for (let at = 0; at < changes.length; at++) {
				batch.put(changes[at] as BatchChange);
				if (at % SLICE_CHANGES === SLICE_CHANGES - 1) await otherTurns();
			}
			await batch.write(sync);
		} catch (error) {
			await batch.drop();
			throw error;
		}
	}

	private noteWritten(bytes: number): void {
		this.writtenBytes += bytes;
		this.unlistedBytes += bytes;
		if (this.unlistedBytes < Math.max(this.tableBytes, this.listedBytes * LISTING_SHARE)) return;
		this.unlistedBytes = 0;
		this.listing = this.listing.then(() => this.listTables());
	}

	private async listTables(): Promise<void> {
		const tables = readTables(engineOf(this.db).getProperty("leveldb.sstables"));
		this.listedBytes = tables.reduce((sum, { bytes }) => sum + bytes, 0);
		try {
			await this.inventory.add(tables.map(({ number }) => number));
		} catch {
			// Whatever prevents this from reading and writing will also make the database fail, and that reports it.
		}
	}

	private failure(action: string, error: unknown): DatabaseError {
		return new DatabaseError(`the database in ${this.directory} can't be ${action}: ${detailOf(error)}`, {
			cause: error,
		});
	}

	async *entries(prefix: Uint8Array): AsyncGenerator<readonly [Uint8Array, Uint8Array]> {
		yield* this.db.iterator({ gte: prefix, lt: after(prefix) });
	}

	async firstKey(from: Uint8Array, end: Uint8Array): Promise<Uint8Array | undefined> {
		return (await this.db.keys({ gte: from, lt: end, limit: 1 }).all())[0];
	}

	readonly range: ReadRange = async (from, end, { descending, limit }) => {
		try {
			return await this.db.iterator({ gte: from, lt: end, reverse: descending, limit }).all();
		} catch (error) {
			throw this.failure("read", error);
		}
	};

	moment(): DatabaseMoment {
		const snapshot = this.db.snapshot();
		return {
			range: async (from, end, { descending, limit }) => {
				try {
					return await this.db.iterator({ gte: from, lt: end, reverse: descending, limit, snapshot }).all();
				} catch (error) {
					throw this.failure("read", error);
				}
			},
			entries: (prefix) => this.db.iterator({ gte: prefix, lt: after(prefix), snapshot }),
			close: () => snapshot.close(),
		};
	}

	levels(): readonly DatabaseLevel[] {
		return readLevels(engineOf(this.db).getProperty("leveldb.sstables"));
	}

	async close(): Promise<void> {
		this.inventory.end();
		await this.listing;
		await this.writeLog();
		await this.db.close();
		try {
			await this.inventory.seal();
		} catch {
			// A full disk, most likely: everything is written, and the next open has less to compare with.
		}
	}

	/** Flushes the log to a table, as the next open would; not if that triggers a compaction to wait for. */
	private async writeLog(): Promise<void> {
		if (this.writtenBytes <= SHORT_LOG_BYTES) return;
		try {
			const newest = engineOf(this.db).getProperty("leveldb.num-files-at-level0");
			if (Number(newest) + 1 >= MERGED_TABLES) return;
			await engineOf(this.db).compactRange(LAST_KEY, LAST_KEY, { keyEncoding: "buffer" });
		} catch {
			// The log stays, which holds the same data.
		}
	}
}

interface Table {
	readonly number: number;
	readonly level: number;
	readonly bytes: number;
}

/** Parses LevelDB's list of tables: one line per level, followed by ` number:bytes[first key .. last key]`. */
function readTables(text: string): readonly Table[] {
	const tables: Table[] = [];
	let level = 0;
	for (const [, named, number, bytes] of text.matchAll(/^(?:--- level (\d+) ---$| *(\d+):(\d+)\[)/gm)) {
		if (named !== undefined) level = Number(named);
		else tables.push({ number: Number(number), level, bytes: Number(bytes) });
	}
	return tables;
}

function readLevels(text: string): readonly DatabaseLevel[] {
	const levels = [...text.matchAll(/^--- level (\d+) ---$/gm)].map(([, level]) => Number(level));
	const tables = readTables(text);
	return levels.map((level) => {
		const own = tables.filter((table) => table.level === level);
		return { level, files: own.length, bytes: own.reduce((sum, { bytes }) => sum + bytes, 0) };
	});
}

/**
 * Compacts the LevelDB in a directory, reclaiming the space of deleted and replaced entries.
 * @throws {DatabaseError} as {@link openLevelDatabase}
 */
export async function compactLevelDatabase(directory: string): Promise<void> {
	const inventory = await openInventory(directory);
	const { Level } = await loadLevelDatabase();
	const db = new Level<Uint8Array, Uint8Array>(directory, {
		keyEncoding: "buffer",
		valueEncoding: "buffer",
		createIfMissing: false,
	});
	try {
		await db.open();
	} catch (error) {
		throw openFailure(directory, error);
	}
	try {
		await engineOf(db).compactRange(new Uint8Array(1), LAST_KEY, { keyEncoding: "buffer" });
	} catch (error) {
		throw new DatabaseError(`the database in ${directory} can't be compacted: ${detailOf(error)}`, {
			cause: error,
		});
	} finally {
		await db.close();
	}
	await inventory.seal();
}

/** The part of the engine missing from the library's browser-compatible types. */
interface Engine {
	getProperty(name: "leveldb.sstables" | "leveldb.num-files-at-level0"): string;
	compactRange(
		start: Uint8Array,
		end: Uint8Array,
		options: { readonly keyEncoding: "buffer" },
	): Promise<void>;
}

const engineOf = (db: Level<Uint8Array, Uint8Array>): Engine => db as unknown as Engine;

/** The underlying message: the library's own errors wrap the database's. */
function detailOf(error: unknown): string {
	const { cause } = error as { readonly cause?: { readonly message?: string } };
	return cause?.message ?? (error instanceof Error ? error.message : String(error));
}

function openFailure(directory: string, error: unknown): DatabaseError {
	const options = { cause: error };
	const code = (error as { readonly cause?: { readonly code?: string } }).cause?.code;
	if (code === "LEVEL_LOCKED") {
		return new DatabaseError(`the data directory ${directory} is in use by another node`, options);
	}
	const detail = error instanceof DamagedFileError ? error.message : detailOf(error);
	return error instanceof DamagedFileError || code === "LEVEL_CORRUPTION"
		? new DamagedDatabaseError(`the database in ${directory} is damaged: ${detail}`, options)
		: new DatabaseError(`the database in ${directory} can't be opened: ${detail}`, options);
}

/** The first key after all keys with this prefix. */
function after(prefix: Uint8Array): Uint8Array {
	const end = Buffer.from(prefix);
	for (let i = end.length - 1; i >= 0; i--) {
		if (end[i] !== 0xff) {
			end[i] = (end[i] as number) + 1;
			return end.subarray(0, i + 1);
		}
	}
	return Buffer.from([0xff, 0xff, 0xff, 0xff]);
}

/** A database that is lost when the process ends. */
export function createMemoryDatabase(): KeyValueDatabase {
	const map = new Map<string, Uint8Array>();
	const text = toKey;
	return {
		get: (key) => map.get(text(key)),
		write: async (changes) => {
			for (const { key, value } of changes) {
				if (value === null) map.delete(text(key));
				else map.set(text(key), value);
			}
		},
		async *entries(prefix) {
			const head = text(prefix);
			const keys = [...map.keys()].filter((key) => key.startsWith(head)).sort();
			for (const key of keys) yield [Buffer.from(key, "latin1"), map.get(key) as Uint8Array] as const;
		},
		firstKey: async (from, end) => {
			const first = text(from);
			const last = text(end);
			let least: string | undefined;
			for (const key of map.keys()) {
				if (key >= first && key < last && (least === undefined || key < least)) least = key;
			}
			return least === undefined ? undefined : Buffer.from(least, "latin1");
		},
		close: async () => {},
	};
}
