/** The ordered key-value database under the state: LevelDB, or memory for chains that live as long as the process. */

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

/** Changes that are applied together, or none of them; a batch that isn't written must be dropped. */
export interface WriteBatch {
	readonly put: (change: BatchChange) => void;
	/** As {@link KeyValueDatabase.write}. */
	write(sync: boolean): Promise<void>;
	drop(): Promise<void>;
}

/** Begins a batch; a database without batches of its own is given all changes when it is written. */
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

/** Entries from a key up to another one, in either order. */
type ReadRange = (
	from: Uint8Array,
	end: Uint8Array,
	options: { readonly descending: boolean; readonly limit: number },
) => Promise<readonly (readonly [Uint8Array, Uint8Array])[]>;

/** Keeps old files on the disk until it is closed. */
export interface DatabaseMoment {
	readonly range: ReadRange;
	entries(prefix: Uint8Array): AsyncIterable<readonly [Uint8Array, Uint8Array]>;
	close(): Promise<void>;
}

export interface KeyValueDatabase {
	get(key: Uint8Array): Uint8Array | undefined;
	/** The values of several keys, read on other threads; absent: nothing is gained by that. */
	getMany?(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
	/** Applies all changes or none. With `sync` it resolves once they are on the disk. */
	write(changes: readonly BatchChange[], sync: boolean): Promise<void>;
	/** The same for changes that are handed over one by one, so that nobody has all of them; absent: {@link write} takes them. */
	batch?(): WriteBatch;
	/** Entries whose key starts with these bytes, ascending. */
	entries(prefix: Uint8Array): AsyncIterable<readonly [Uint8Array, Uint8Array]>;
	/** The first key at or after `from` and before `end`. */
	firstKey(from: Uint8Array, end: Uint8Array): Promise<Uint8Array | undefined>;
	/** Entries from a key up to another one, in either order; absent: it isn't asked for there. */
	range?: ReadRange;
	/** What the database holds at this moment, whatever is written later; absent: nothing is written while it is read. */
	moment?(): DatabaseMoment;
	/** What is on the disk, without the log of the newest changes; absent: nothing. */
	levels?(): readonly DatabaseLevel[];
	/** Whether all that was there at the open is as it was left; rejects if not. What is small was compared before. */
	readonly compared?: Promise<void>;
	close(): Promise<void>;
}

/** The data directory can't be used; the message is one sentence for the person who started the node. */
export class DatabaseError extends OperatorError {
	override readonly name: string = "DatabaseError";
}

/** Files of a database are damaged: what it held can't be read any more. */
export class DamagedDatabaseError extends DatabaseError {
	override readonly name = "DamagedDatabaseError";
}

/** A log of up to so many bytes is read quickly enough at the next open. */
const SHORT_LOG_BYTES = 2 << 20;
/** LevelDB merges the newest tables when there are so many. */
const MERGED_TABLES = 4;
/** Behind all keys. */
const LAST_KEY = new Uint8Array(33).fill(255);
/** Handing a change over takes about a microsecond. */
const SLICE_CHANGES = 2_000;
/** Listing the tables costs time with their number, so it waits for this share of their bytes. */
const LISTING_SHARE = 1 / 256;

/** Loads the compiled engine; chains in memory do without it. */
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
	/** Bytes that were written since the tables were listed, and those of the tables then. */
	private unlistedBytes = 0;
	private listedBytes = 0;
	private writtenBytes = 0;
	private listing: Promise<void>;

	constructor(
		private readonly directory: string,
		private readonly db: Level<Uint8Array, Uint8Array>,
		private readonly inventory: Inventory,
		/** LevelDB begins a new table about as often as so much was written. */
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
			// Whatever keeps it from reading and writing will keep the database from it too, which tells.
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

	/** Writes what the log holds into a table, which the next open would do first; not where tables are merged, which would be waited for. */
	private async writeLog(): Promise<void> {
		if (this.writtenBytes <= SHORT_LOG_BYTES) return;
		try {
			const newest = engineOf(this.db).getProperty("leveldb.num-files-at-level0");
			if (Number(newest) + 1 >= MERGED_TABLES) return;
			await engineOf(this.db).compactRange(LAST_KEY, LAST_KEY, { keyEncoding: "buffer" });
		} catch {
			// The log stays, which holds the same.
		}
	}
}

interface Table {
	readonly number: number;
	readonly level: number;
	readonly bytes: number;
}

/** Reads LevelDB's list of files: a line for each level, and behind it ` number:bytes[first key .. last key]`. */
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
 * Rewrites the LevelDB of a directory so that what was deleted or replaced takes no room.
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

/** What the library's type, made for browsers too, doesn't tell. */
interface Engine {
	getProperty(name: "leveldb.sstables" | "leveldb.num-files-at-level0"): string;
	compactRange(
		start: Uint8Array,
		end: Uint8Array,
		options: { readonly keyEncoding: "buffer" },
	): Promise<void>;
}

const engineOf = (db: Level<Uint8Array, Uint8Array>): Engine => db as unknown as Engine;

/** What the library says; its own errors wrap the database's. */
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

/** A database that is gone when the process ends. */
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
