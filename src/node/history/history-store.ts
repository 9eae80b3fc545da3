/**
 * Storage for the rows of final blocks. The index needs only this interface, so that another database can
 * replace the embedded LevelDB.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { fromKey, fromUtf8, toKey, utf8 } from "../../protocol/bytes.js";
import {
	type BatchChange,
	DamagedDatabaseError,
	type KeyValueDatabase,
	openLevelDatabase,
} from "../state/database.js";
import { type HistoryRow, ROW_KINDS, type RowKind } from "./rows.js";

/** A range of blocks whose rows are stored. */
export interface IndexedRange {
	readonly from: number;
	readonly to: number;
	/** Id of the block at `to`, hexadecimal. */
	readonly id: string;
}

/** Position of the store, written atomically with the rows. */
export interface StoredPosition {
	/** Row format; a store of another version is rebuilt. */
	readonly version: number;
	/** Descending and not adjacent. */
	readonly ranges: readonly IndexedRange[];
}

/** Selects rows of a list, by suffix. */
export interface RowRange {
	/** First suffix, inclusive, and end, exclusive. */
	readonly from: string;
	readonly end: string;
	readonly descending: boolean;
	readonly limit: number;
}

/** The store is unreachable; the index continues once it is back. */
export class StoreAway extends Error {
	override readonly name = "StoreAway";
}

/** Every method rejects with {@link StoreAway} if an external store is unreachable. */
export interface HistoryStore {
	/** Undefined if nothing usable was written. Must be called first after a {@link StoreAway}. */
	position(): Promise<StoredPosition | undefined>;
	/** Writes and removes rows and sets the position atomically. */
	write(put: readonly HistoryRow[], removed: readonly HistoryRow[], position: StoredPosition): Promise<void>;
	rows(kind: RowKind, owner: string, range: RowRange): Promise<readonly HistoryRow[]>;
	/** Removes everything. */
	clear(): Promise<void>;
	/** Size on disk, in bytes. */
	readonly bytes: number;
	/** Set if rows of another chain must not be cleared: opening is refused then. */
	readonly keepsOthers?: string | undefined;
	/** Reports the loss of an external store between two requests. */
	watch?(notify: (failure: StoreAway) => void): void;
	close(): Promise<void>;
}

/** The {@link StoredPosition.version} that this program writes. */
export const ROWS_VERSION = 1;

const POSITION_KEY = Uint8Array.of(0);
/** The index has its own cache, separate from the chain's. */
const BUDGET = {
	decodedBytes: 0,
	historyBytes: 0,
	databaseBytes: 8 << 20,
	openTables: 256,
	writeBytes: 8 << 20,
	segmentBytes: 0,
};
/** Entries removed per step of clearing. */
const CLEARING = 10_000;

/** The index directory within a data directory. */
export const historyDirectory = (dataDirectory: string): string => join(dataDirectory, "history");

/** Opens or creates the index in a directory. @throws {DatabaseError} one sentence */
export async function openHistoryStore(directory: string): Promise<HistoryStore> {
	try {
		return new LevelHistoryStore(await openLevelDatabase(directory, BUDGET));
	} catch (error) {
		if (!(error instanceof DamagedDatabaseError)) throw error;
		// It is derived from blocks and receipts alone, so it can be rebuilt.
		rmSync(directory, { recursive: true, force: true });
		return new LevelHistoryStore(await openLevelDatabase(directory, BUDGET));
	}
}

class LevelHistoryStore implements HistoryStore {
	constructor(private readonly database: KeyValueDatabase) {
		// Damage is reported when the damaged part is read.
		this.database.compared?.catch(() => {});
	}

	async position(): Promise<StoredPosition | undefined> {
		const bytes = this.database.get(POSITION_KEY);
		return bytes && readPosition(bytes);
	}

	async write(
		put: readonly HistoryRow[],
		removed: readonly HistoryRow[],
		position: StoredPosition,
	): Promise<void> {
		const changes: BatchChange[] = [];
		for (const row of removed) changes.push({ key: keyOf(row.kind, row.owner, row.suffix), value: null });
		for (const row of put) changes.push({ key: keyOf(row.kind, row.owner, row.suffix), value: row.value });
		changes.push({ key: POSITION_KEY, value: utf8(JSON.stringify(position)) });
		await this.database.write(changes, false);
	}

	async rows(kind: RowKind, owner: string, range: RowRange): Promise<readonly HistoryRow[]> {
		if (range.from >= range.end || range.limit <= 0) return [];
		const found = await rangeOf(this.database)(
			keyOf(kind, owner, range.from),
			keyOf(kind, owner, range.end),
			{
				descending: range.descending,
				limit: range.limit,
			},
		);
		const head = 1 + owner.length;
		return found.map(([key, value]) => ({ kind, owner, suffix: toKey(key.subarray(head)), value }));
	}

	async clear(): Promise<void> {
		for (;;) {
			const found = await rangeOf(this.database)(Uint8Array.of(0), Uint8Array.of(0xff), {
				descending: false,
				limit: CLEARING,
			});
			if (found.length === 0) return;
			await this.database.write(
				found.map(([key]) => ({ key, value: null })),
				false,
			);
		}
	}

	get bytes(): number {
		return (this.database.levels?.() ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
	}

	async close(): Promise<void> {
		await this.database.close();
	}
}

function rangeOf(database: KeyValueDatabase): NonNullable<KeyValueDatabase["range"]> {
	if (!database.range) throw new Error("the database of the index can't be read in order");
	return database.range.bind(database);
}

/** Kind, owner, suffix. Owners of a kind have equal length, so no list is a prefix of another. */
function keyOf(kind: RowKind, owner: string, suffix: string): Uint8Array {
	return fromKey(String.fromCharCode(ROW_KINDS[kind]) + owner + suffix);
}

function readPosition(bytes: Uint8Array): StoredPosition | undefined {
	try {
		return knownPosition(JSON.parse(fromUtf8(bytes)) as StoredPosition);
	} catch {
		return undefined;
	}
}

/** A position, if it has this program's format and version. */
export function knownPosition({ version, ranges }: StoredPosition): StoredPosition | undefined {
	const isRight =
		version === ROWS_VERSION &&
		Array.isArray(ranges) &&
		ranges.every(
			({ from, to, id }) =>
				Number.isSafeInteger(from) && Number.isSafeInteger(to) && from <= to && typeof id === "string",
		);
	return isRight ? { version, ranges } : undefined;
}
