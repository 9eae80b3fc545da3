/** The ordered key-value database under the state: LevelDB, or memory for chains that live as long as the process. */

import { Level } from "level";

/** One change of an atomic batch; a null value deletes. */
export interface Change {
	readonly key: Uint8Array;
	readonly value: Uint8Array | null;
}

/** The files of a LevelDB in one of its levels. */
export interface DatabaseLevel {
	readonly level: number;
	readonly files: number;
	readonly bytes: number;
}

export interface KeyValueDatabase {
	get(key: Uint8Array): Uint8Array | undefined;
	/** Applies all changes or none. With `sync` it resolves once they are on the disk. */
	write(changes: readonly Change[], sync: boolean): Promise<void>;
	/** Entries whose key starts with these bytes, ascending. */
	entries(prefix: Uint8Array): AsyncIterable<readonly [Uint8Array, Uint8Array]>;
	/** The first key at or after `from` and before `end`. */
	firstKey(from: Uint8Array, end: Uint8Array): Promise<Uint8Array | undefined>;
	/** What is on the disk, without the log of the newest changes; absent: nothing. */
	levels?(): readonly DatabaseLevel[];
	close(): Promise<void>;
}

/** The data directory can't be used; the message is one sentence for the person who started the node. */
export class DatabaseError extends Error {
	override readonly name = "DatabaseError";
}

/** Opens or creates the LevelDB in a directory. @throws {DatabaseError} if it is in use, damaged or unwritable */
export async function openLevelDatabase(directory: string): Promise<KeyValueDatabase> {
	const db = new Level<Uint8Array, Uint8Array>(directory, {
		keyEncoding: "buffer",
		valueEncoding: "buffer",
		cacheSize: 16 << 20,
		writeBufferSize: 8 << 20,
		maxOpenFiles: 512,
	});
	try {
		await db.open();
	} catch (error) {
		throw new DatabaseError(describeOpenFailure(directory, error));
	}
	return {
		get: (key) => {
			try {
				return db.getSync(key);
			} catch (error) {
				throw new DatabaseError(`the database in ${directory} can't be read: ${detailOf(error)}`, {
					cause: error,
				});
			}
		},
		write: async (changes, sync) => {
			if (changes.length === 0) return;
			const batch = db.batch();
			for (const { key, value } of changes) {
				if (value === null) batch.del(key);
				else batch.put(key, value);
			}
			try {
				await batch.write({ sync });
			} catch (error) {
				throw new DatabaseError(`the database in ${directory} can't be written: ${detailOf(error)}`, {
					cause: error,
				});
			}
		},
		entries: (prefix) => db.iterator({ gte: prefix, lt: after(prefix) }),
		firstKey: async (from, end) => (await db.keys({ gte: from, lt: end, limit: 1 }).all())[0],
		levels: () => readLevels((db as unknown as Described).getProperty("leveldb.sstables")),
		close: () => db.close(),
	};
}

/** Reads LevelDB's list of files: a line for each level, and behind it ` number:bytes[first key .. last key]`. */
function readLevels(text: string): readonly DatabaseLevel[] {
	const levels: { level: number; files: number; bytes: number }[] = [];
	for (const [, level, bytes] of text.matchAll(/^(?:--- level (\d+) ---$| *\d+:(\d+)\[)/gm)) {
		if (level !== undefined) levels.push({ level: Number(level), files: 0, bytes: 0 });
		const last = levels.at(-1);
		if (bytes === undefined || !last) continue;
		last.files++;
		last.bytes += Number(bytes);
	}
	return levels;
}

/**
 * Rewrites the LevelDB of a directory so that what was deleted or replaced takes no room.
 * @throws {DatabaseError} as {@link openLevelDatabase}
 */
export async function compactLevelDatabase(directory: string): Promise<void> {
	const db = new Level<Uint8Array, Uint8Array>(directory, {
		keyEncoding: "buffer",
		valueEncoding: "buffer",
		createIfMissing: false,
	});
	try {
		await db.open();
	} catch (error) {
		throw new DatabaseError(describeOpenFailure(directory, error));
	}
	try {
		await (db as unknown as Compactable).compactRange(new Uint8Array(1), new Uint8Array(33).fill(0xff), {
			keyEncoding: "buffer",
		});
	} catch (error) {
		throw new DatabaseError(`the database in ${directory} can't be compacted: ${detailOf(error)}`, {
			cause: error,
		});
	} finally {
		await db.close();
	}
}

/** What the library's type, made for browsers too, doesn't tell. */
interface Described {
	getProperty(name: "leveldb.sstables"): string;
}

/** The same. */
interface Compactable {
	compactRange(
		start: Uint8Array,
		end: Uint8Array,
		options: { readonly keyEncoding: "buffer" },
	): Promise<void>;
}

/** What the library says; its own errors wrap the database's. */
function detailOf(error: unknown): string {
	const { cause } = error as { readonly cause?: { readonly message?: string } };
	return cause?.message ?? (error instanceof Error ? error.message : String(error));
}

function describeOpenFailure(directory: string, error: unknown): string {
	const code = (error as { readonly cause?: { readonly code?: string } }).cause?.code;
	if (code === "LEVEL_LOCKED") return `the data directory ${directory} is in use by another node`;
	const detail = detailOf(error);
	if (code === "LEVEL_CORRUPTION") return `the database in ${directory} is damaged: ${detail}`;
	return `the database in ${directory} can't be opened: ${detail}`;
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
	const text = (key: Uint8Array): string => Buffer.from(key).toString("latin1");
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
