/**
 * What final blocks changed, so that the state after each of them can be read (`node.history.state`).
 *
 * Contract: a change is recorded as its block moves into the base, with the base's previous value; it is
 * written in the same batch as the base, so both always belong to the same block. A read is exact for every
 * block from {@link ChangeHistory.first} to the base: the value before the first change above that block, or
 * the base's. Entries that carry their own block number aren't recorded (`history-stores.ts`).
 *
 * Changes not yet in the database are in memory, decoded; their number is bounded along with the base's own.
 */

import { setImmediate as nextRound } from "node:timers/promises";
import type { BatchChange, KeyValueDatabase } from "./database.js";
import { type StoreDefinition, storeDefinitions } from "./definition.js";
import { addWith, type Entry, type EntryMaps, GONE, KeyOrders, makeMaps, storeAt } from "./entry.js";
import {
	beforeKey,
	type ChangeIndex,
	encodeBefore,
	encodeIndex,
	encodeRow,
	encodeStatus,
	entryOfNewestKey,
	FULL_ROW,
	firstAbove,
	freeGeneration,
	fullKey,
	HISTORY_PREFIX,
	type HistoryStatus,
	KINDS,
	NEVER_CHANGED,
	newestKey,
	type OlderChanges,
	readHistoryStatus,
	statusKey,
} from "./history-format.js";
import { isRecorded } from "./history-stores.js";
import { OrderedKeys } from "./ordered-keys.js";
import { StoredChanges } from "./stored-changes.js";

/** Changes of an entry not yet in the database: block numbers, ascending, and the value before each. */
interface RecentChanges {
	readonly blocks: number[];
	readonly before: Entry[];
}

/** Entries whose changes are encoded before others get a turn. */
const SLICE = 1_000;

/** Maximum rows waiting for removal by the next flush. */
const MAX_DROPPED = 100_000;

export class ChangeHistory {
	private recent: EntryMaps<RecentChanges> = makeMaps();
	/** Changes being written to the database. */
	private flushing: EntryMaps<RecentChanges> | undefined;
	private readonly stored: StoredChanges;
	/** The backfilled part; undefined: none. */
	private filled: { readonly part: OlderChanges; readonly stored: StoredChanges } | undefined;
	/** The generation of a backfill in progress. */
	private reserved: number | undefined;
	/** Keys of ordered stores that are, or once were, deleted. */
	readonly formerKeys = new KeyOrders();
	/** The newest block of the base; the newest whose changes are in the database. */
	private last: number;
	private written: number;
	private readonly openedAt: number;
	/** Rows in which all blocks are too old. */
	private dropped: { readonly index: number; readonly key: string }[] = [];
	/** The rows as they will be once the batch is written. */
	private flushed: { readonly index: number; readonly key: string; readonly row: ChangeIndex }[] = [];
	private flushedTo = 0;

	private constructor(
		private readonly database: KeyValueDatabase,
		private readonly generation: number,
		private lowest: number,
		last: number,
		/** How many blocks back the history reaches; undefined: all. */
		private readonly keep: number | undefined,
		older?: OlderChanges,
	) {
		this.stored = new StoredChanges(database, generation);
		this.filled = older && { part: older, stored: new StoredChanges(database, older.generation) };
		this.last = last;
		this.written = last;
		this.openedAt = last;
		for (const store of storeDefinitions) {
			if (store.ordered) this.formerKeys.set(store.index, new OrderedKeys([], store.order));
		}
	}

	/**
	 * Continues the history in a database, or starts one if there is none or it ended before the base did.
	 * @param number of the block whose state the base is
	 * @param has whether the base has an entry
	 * @param keep how many blocks can be looked behind; undefined: all
	 */
	static async open(
		database: KeyValueDatabase,
		number: bigint,
		has: (store: StoreDefinition<unknown>, key: string) => boolean,
		keep: number | undefined,
	): Promise<ChangeHistory> {
		const base = Number(number);
		const status = readHistoryStatus(database.get(statusKey()));
		if (status?.last === base) {
			const history = new ChangeHistory(database, status.generation, status.first, base, keep, status.older);
			await history.readFormerKeys(has);
			return history;
		}
		const generation = await freeGeneration(database, status?.generation ?? 0);
		const history = new ChangeHistory(database, generation, base, base, keep);
		await database.write([history.statusChange(base)], false);
		return history;
	}

	private async readFormerKeys(
		has: (store: StoreDefinition<unknown>, key: string) => boolean,
	): Promise<void> {
		const generations = this.writtenGenerations;
		for (const store of storeDefinitions) {
			if (!store.ordered || !isRecorded(store.index)) continue;
			const gone: string[] = [];
			for (const generation of generations) {
				const prefix = Uint8Array.of(HISTORY_PREFIX, generation, KINDS.newest, store.index);
				for await (const [row] of this.database.entries(prefix)) {
					const key = entryOfNewestKey(row);
					if (!has(store, key)) gone.push(key);
				}
			}
			this.formerKeys.set(store.index, new OrderedKeys(gone, store.order));
		}
	}

	/** Generations whose rows are read. */
	private get writtenGenerations(): readonly number[] {
		return [this.generation, ...(this.filled ? [this.filled.part.generation] : [])];
	}

	/** The first block whose state is available. */
	get first(): number {
		return firstOf(this.lowest, this.last, this.keep);
	}

	/** Its status record in the database. */
	get status(): HistoryStatus {
		return this.statusAt(this.written);
	}

	private statusAt(last: number): HistoryStatus {
		const { generation, lowest, keep, filled } = this;
		const first = firstOf(lowest, last, keep);
		// No readable state needs what only older blocks changed.
		const older = filled && filled.part.last > first ? filled.part : undefined;
		return { generation, first, last, older };
	}

	/** Generations whose keys are in use. */
	get generations(): ReadonlySet<number> {
		const { generation, older } = this.status;
		return new Set([generation, older?.generation, this.reserved].filter((one) => one !== undefined));
	}

	/** Its rows in the database, without the backfilled part. */
	storedRows(): AsyncIterable<readonly [Uint8Array, Uint8Array]> {
		return this.database.entries(Uint8Array.of(HISTORY_PREFIX, this.generation));
	}

	/** Reserves a generation for changes of older blocks, which are about to be backfilled. */
	async reserve(): Promise<number> {
		this.reserved = await freeGeneration(this.database, this.generation, this.generations);
		return this.reserved;
	}

	/**
	 * Adds a complete backfill of older blocks, up to where this history began.
	 * @param gone keys of ordered stores that it names and the base doesn't have, by store index
	 * @throws {Error} if the part ends somewhere else
	 */
	async fillIn(part: OlderChanges, gone: ReadonlyMap<number, readonly string[]>): Promise<void> {
		if (this.filled || part.last !== this.lowest)
			throw new Error("these are no changes up to the history's begin");
		this.filled = { part, stored: new StoredChanges(this.database, part.generation) };
		this.lowest = part.first;
		this.reserved = undefined;
		for (const [index, keys] of gone) for (const key of keys) this.formerKeys.note(index, key, true);
		await this.database.write([this.statusChange(this.written)], true);
	}

	/** Marks an entry's row for removal: all its changes are too old. The next flush removes it if that still holds. */
	dropRow(index: number, key: string): void {
		if (this.dropped.length < MAX_DROPPED) this.dropped.push({ index, key });
	}

	/**
	 * Assigns the following changes to a block that moves into the base.
	 * @returns whether they are to be recorded
	 */
	beginBlock(number: bigint): boolean {
		const block = Number(number);
		// A start settles once more what it found; no block did that.
		if (block <= this.openedAt) return false;
		this.last = Math.max(this.last, block);
		return true;
	}

	/** Records an entry's value before and after the block. */
	record(store: StoreDefinition<unknown>, key: string, before: Entry, after: Entry): void {
		if (isSame(before, after)) return;
		const map = this.recent[store.index] as Map<string, RecentChanges>;
		const changes = map.get(key);
		if (!changes) map.set(key, { blocks: [this.last], before: [before] });
		else if (changes.blocks.at(-1) !== this.last) {
			changes.blocks.push(this.last);
			changes.before.push(before);
		}
		if (store.ordered && after === GONE) this.formerKeys.note(store.index, key, true);
	}

	/** The keys of a store with a prefix that changed since {@link first}. */
	async keysWith(index: number, prefix: string): Promise<ReadonlySet<string>> {
		const keys = new Set<string>();
		const addUnwritten = (): void => {
			for (const maps of [this.flushing, this.recent]) addWith(keys, maps?.[index]?.keys() ?? [], prefix);
		};
		addUnwritten();
		for (const generation of this.writtenGenerations) {
			for await (const [row] of this.database.entries(newestKey(generation, index, prefix))) {
				keys.add(entryOfNewestKey(row));
			}
		}
		addUnwritten();
		return keys;
	}

	/**
	 * An entry's value after a block; undefined: the base's value.
	 * @param number from {@link first} to the base's
	 */
	valueAfter(store: StoreDefinition<unknown>, key: string, number: number): Entry | undefined {
		const { filled, stored } = this;
		if (filled && number < filled.part.last) {
			const block = filled.stored.change(store.index, key, number);
			if (block !== undefined) return filled.stored.before(store, key, block);
		}
		if (number < this.written) {
			const block = stored.change(store.index, key, number);
			if (block !== undefined) return stored.before(store, key, block);
		}
		for (const maps of [this.flushing, this.recent]) {
			const changes = maps?.[store.index]?.get(key);
			const at = changes ? firstAbove(changes.blocks, number) : 0;
			if (changes && at < changes.blocks.length) return changes.before[at];
		}
		return undefined;
	}

	/**
	 * Takes what is to be written; later records wait for the next flush. Must not be called before the last
	 * one's {@link endFlush}.
	 * @returns the changes for the batch that brings the base of this moment to the database
	 */
	async beginFlush(): Promise<readonly BatchChange[]> {
		const flushing = this.recent;
		const { last } = this;
		this.flushing = flushing;
		this.recent = makeMaps();
		this.flushed = [];
		const batch: BatchChange[] = [this.statusChange(last)];
		for (const [index, map] of flushing.entries()) {
			const keys = [...map.keys()];
			for (let from = 0; from < keys.length; from += SLICE) {
				const slice = keys.slice(from, from + SLICE);
				const indexes = await this.stored.read(index, slice);
				for (const [at, key] of slice.entries()) {
					this.encode(batch, index, key, map.get(key) as RecentChanges, indexes[at] as ChangeIndex);
				}
				await nextRound();
			}
		}
		await this.dropRows(batch, flushing);
		this.flushedTo = last;
		return batch;
	}

	/** Removes rows that are still too old, except those this flush writes. */
	private async dropRows(batch: BatchChange[], flushing: EntryMaps<RecentChanges>): Promise<void> {
		const { first } = this.status;
		const dropped = this.dropped.splice(0);
		for (const { index, key } of dropped) {
			if (flushing[index]?.has(key)) continue;
			const [row] = await this.stored.read(index, [key]);
			if (!row || (row.blocks.at(-1) ?? 0) > first) continue;
			batch.push({ key: newestKey(this.generation, index, key), value: null });
			this.flushed.push({ index, key, row: NEVER_CHANGED });
		}
	}

	private encode(
		batch: BatchChange[],
		index: number,
		key: string,
		{ blocks, before }: RecentChanges,
		known: ChangeIndex,
	): void {
		const store = storeAt(index);
		const { generation } = this;
		for (const [at, block] of blocks.entries()) {
			const value = encodeBefore(store, key, before[at]);
			batch.push({ key: beforeKey(generation, index, key, block), value });
		}
		let { fullRows } = known;
		let all = [...known.blocks, ...blocks];
		for (; all.length > FULL_ROW; all = all.slice(FULL_ROW)) {
			const value = encodeRow(all.slice(0, FULL_ROW));
			batch.push({ key: fullKey(generation, index, key, fullRows++), value });
		}
		const row = { fullRows, blocks: all };
		batch.push({ key: newestKey(generation, index, key), value: encodeIndex(row) });
		this.flushed.push({ index, key, row });
	}

	/** Ends a flush; if it failed, everything stays in memory, before newer changes. */
	endFlush(isWritten: boolean): void {
		const { flushing } = this;
		this.flushing = undefined;
		if (isWritten) {
			this.written = this.flushedTo;
			for (const { index, key, row } of this.flushed) this.stored.replace(index, key, row);
		} else if (flushing) this.takeBack(flushing);
		this.flushed = [];
	}

	private takeBack(flushing: EntryMaps<RecentChanges>): void {
		for (const [index, map] of flushing.entries()) {
			const recent = this.recent[index] as Map<string, RecentChanges>;
			for (const [key, older] of map) {
				const newer = recent.get(key);
				recent.set(key, {
					blocks: [...older.blocks, ...(newer?.blocks ?? [])],
					before: [...older.before, ...(newer?.before ?? [])],
				});
			}
		}
	}

	private statusChange(last: number): BatchChange {
		return { key: statusKey(), value: encodeStatus(this.statusAt(last)) };
	}
}

/** The first block whose state is available. */
const firstOf = (lowest: number, last: number, keep: number | undefined): number =>
	keep === undefined ? lowest : Math.max(lowest, last - keep);

/** Whether a write changed nothing, as far as can be seen without decoding. */
function isSame(before: Entry, after: Entry): boolean {
	if (before === after) return true;
	if (!(before instanceof Uint8Array) || !(after instanceof Uint8Array)) return false;
	return before.length === after.length && Buffer.compare(before, after) === 0;
}
