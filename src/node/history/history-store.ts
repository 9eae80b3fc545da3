/**
 * Where the rows of final blocks are kept. The index needs no more of a database than this, so that another one can take the
 * place of the embedded LevelDB.
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

/** A stretch of blocks whose rows are in the store. */
export interface IndexedRange {
	readonly from: number;
	readonly to: number;
	/** Id of the block at `to`, hexadecimal. */
	readonly id: string;
}

/** What the store says about itself: written together with rows, so both are always of one moment. */
export interface StoredPosition {
	/** Meaning of rows; a store of another version is built again. */
	readonly version: number;
	/** Descending, apart from each other. */
	readonly ranges: readonly IndexedRange[];
}

/** Which rows of a list, ascending by suffix or descending. */
export interface RowRange {
	/** First suffix; and the first that doesn't belong to it any more. */
	readonly from: string;
	readonly end: string;
	readonly descending: boolean;
	readonly limit: number;
}

/** A store can't be reached now; the index goes on once it can. */
export class StoreAway extends Error {
	override readonly name = "StoreAway";
}

/** Everything rejects with {@link StoreAway} where a store is elsewhere and can't be reached. */
export interface HistoryStore {
	/** Undefined: nothing was written yet, or what was can't be used. After {@link StoreAway} it is asked before anything else. */
	position(): Promise<StoredPosition | undefined>;
	/** Writes and removes rows, and the new position, all or nothing. */
	write(put: readonly HistoryRow[], removed: readonly HistoryRow[], position: StoredPosition): Promise<void>;
	rows(kind: RowKind, owner: string, range: RowRange): Promise<readonly HistoryRow[]>;
	/** Removes everything. */
	clear(): Promise<void>;
	/** Bytes on the disk. */
	readonly bytes: number;
	/** Where the rows of another chain are not to be thrown away: then the index does not begin. Absent: it begins anew. */
	readonly keepsOthers?: string | undefined;
	/** Tells when a store elsewhere is lost between two questions. */
	watch?(notify: (failure: StoreAway) => void): void;
	close(): Promise<void>;
}

/** Number of {@link StoredPosition.version} that this program writes. */
export const ROWS_VERSION = 1;

const POSITION_KEY = Uint8Array.of(0);
/** The index has a cache of its own, beside that of the chain. */
const BUDGET = {
	decodedBytes: 0,
	historyBytes: 0,
	databaseBytes: 8 << 20,
	openTables: 256,
	writeBytes: 8 << 20,
	segmentBytes: 0,
};
/** Entries that one step of clearing removes. */
const CLEARING = 10_000;

/** Where the index of a data directory is. */
export const historyDirectory = (dataDirectory: string): string => join(dataDirectory, "history");

/** Opens or creates the index in a directory. @throws {DatabaseError} one sentence */
export async function openHistoryStore(directory: string): Promise<HistoryStore> {
	try {
		return new LevelHistoryStore(await openLevelDatabase(directory, BUDGET));
	} catch (error) {
		if (!(error instanceof DamagedDatabaseError)) throw error;
		// It is made of blocks and receipts alone, so it can be made again.
		rmSync(directory, { recursive: true, force: true });
		return new LevelHistoryStore(await openLevelDatabase(directory, BUDGET));
	}
}

class LevelHistoryStore implements HistoryStore {
	constructor(private readonly database: KeyValueDatabase) {
		// What is damaged is found when it is read, and tells so then.
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

/** Kind, owner, suffix. Owners of one kind have one length, so that no list begins like another one. */
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

/** A position, if it has the form and the version of this program. */
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
