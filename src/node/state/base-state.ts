/**
 * The base: the state after the newest block that can't be undone, in memory over the database.
 *
 * Contract: a write is visible at once and for good; {@link BaseState.flush} brings all of them to the database in one atomic
 * batch, and what is read meanwhile and afterwards is the same. A failed flush leaves everything in memory. Reads are
 * synchronous.
 */

import { setImmediate as otherTurns } from "node:timers/promises";
import type { CacheBudget } from "./cache-budget.js";
import {
	type BatchChange,
	beginBatch,
	type DatabaseLevel,
	type KeyValueDatabase,
	type WriteBatch,
} from "./database.js";
import { STORE_COUNT, type StoreDefinition, storeDefinitions, stores } from "./definition.js";
import { addWith, type Entry, type EntryMaps, GONE, KeyOrders, makeMaps, storeAt } from "./entry.js";
import type { KnownProperties } from "./known-properties.js";
import { OrderedKeys } from "./ordered-keys.js";
import { type CacheUse, ValueCache } from "./value-cache.js";

/** An entry that will be asked for. */
export interface WantedEntry {
	readonly store: StoreDefinition<unknown>;
	readonly key: string;
}

/** Called before an entry is written. */
type BaseRecorder = (store: StoreDefinition<unknown>, key: string) => void;

export class BaseState {
	/** The keys of ordered stores. */
	readonly keyOrders = new KeyOrders();
	private changes: EntryMaps = makeMaps();
	/** Changes on their way to the database. */
	private flushing: EntryMaps | undefined;
	/**
	 * The newest values, {@link GONE} for nothing, since rules ask for the same missing entries again and again. Of stores of history
	 * it holds what the database has.
	 */
	private readonly cache: ValueCache<Entry>;
	/** Bytes of an encoded value, by store index: of those that were flushed last, on average. */
	private readonly encodedBytes = new Float64Array(STORE_COUNT).fill(64);
	/** PERF: what is small and asked for with every transaction, all of it that was ever asked for; by store index. */
	private readonly resident = storeDefinitions.map(({ index }) =>
		RESIDENT.has(index) ? new Map<string, Entry>() : undefined,
	);
	/** Entries changed since the last flush began. */
	private unflushed = 0;
	/** Reads on other threads that are under way, each with what flushes have written since it began. */
	private readonly reading = new Set<{ readonly flushed: EntryMaps[] }>();
	/** Notified of every write, where the history of an edited state or the state's hash is kept. */
	recorder: BaseRecorder | undefined;

	private constructor(
		private readonly database: KeyValueDatabase,
		private readonly known: KnownProperties,
		budget: CacheBudget | undefined,
	) {
		this.cache = new ValueCache<Entry>(HISTORY, budget);
	}

	/**
	 * Opens the base on a database; ordered stores read their keys.
	 * @param known forgets each property that is written
	 * @param onKeys called with the keys of each ordered store
	 */
	static async open(
		database: KeyValueDatabase,
		known: KnownProperties,
		onKeys: (index: number, keys: OrderedKeys) => void,
		budget?: CacheBudget,
	): Promise<BaseState> {
		const base = new BaseState(database, known, budget);
		for (const store of storeDefinitions) {
			if (!store.ordered) continue;
			const keys: string[] = [];
			for await (const [key] of database.entries(prefixOf(store))) {
				keys.push(keyOf(key));
			}
			const ordered = new OrderedKeys(keys, store.order);
			base.keyOrders.set(store.index, ordered);
			onKeys(store.index, ordered);
		}
		return base;
	}

	get<V>(store: StoreDefinition<V>, key: string): V | undefined {
		const index = store.index;
		const resident = this.resident[index];
		const history = isHistory[index] === true;
		let value: Entry | undefined;
		if (resident) value = resident.get(key);
		else if (!history) value = this.cache.get(index, key);
		if (value === undefined) value = this.unflushedValue(index, key);
		if (value === undefined && history) value = this.cache.get(index, key);
		if (value !== undefined) return value === GONE ? undefined : (value as V);
		const bytes = this.database.get(readingKey(store, key));
		const stored = bytes === undefined ? GONE : store.codec.decode(bytes, key);
		if (resident && resident.size < RESIDENT_ENTRIES) resident.set(key, stored);
		else this.cache.keep(index, key, stored, bytes?.length ?? 0);
		return stored === GONE ? undefined : stored;
	}

	/** What the database doesn't have yet. */
	private unflushedValue(index: number, key: string): Entry | undefined {
		const changed = (this.changes[index] as Map<string, Entry>).get(key);
		if (changed !== undefined || !this.flushing) return changed;
		return (this.flushing[index] as Map<string, Entry>).get(key);
	}

	/**
	 * Reads entries into the cache on other threads, so that a block that asks for them needn't wait. What a flush has
	 * replaced meanwhile isn't kept.
	 * @returns how many were not in memory
	 */
	async readAhead(wanted: readonly WantedEntry[]): Promise<number> {
		if (!this.database.getMany) return 0;
		const missing = wanted.filter(({ store, key }) => !this.isInMemory(store.index, key));
		if (missing.length === 0) return 0;
		const read: { readonly flushed: EntryMaps[] } = { flushed: [] };
		this.reading.add(read);
		try {
			const values = await this.database.getMany(missing.map(({ store, key }) => diskKey(store, key)));
			missing.forEach(({ store, key }, at) => {
				const { index } = store;
				if (this.isInMemory(index, key) || read.flushed.some((maps) => maps[index]?.has(key))) return;
				const bytes = values[at];
				this.cache.keep(index, key, bytes ? store.codec.decode(bytes, key) : GONE, bytes?.length ?? 0);
			});
		} finally {
			this.reading.delete(read);
		}
		return missing.length;
	}

	private isInMemory(index: number, key: string): boolean {
		return (
			this.resident[index]?.has(key) === true ||
			this.cache.has(index, key) ||
			this.unflushedValue(index, key) !== undefined
		);
	}

	/** Writes an entry, or deletes it with {@link GONE}. */
	set(store: StoreDefinition<unknown>, key: string, value: Entry): void {
		this.recorder?.(store, key);
		this.replace(store, key, value);
	}

	/** Writes an entry without telling the recorder: it goes back to what it was. */
	replace(store: StoreDefinition<unknown>, key: string, value: Entry): void {
		const { index } = store;
		(this.changes[index] as Map<string, Entry>).set(key, value);
		this.known.forget(index, key);
		const resident = this.resident[index];
		if (resident) resident.set(key, value);
		else if (!isHistory[index]) this.cache.replace(index, key, value, this.bytesOf(index, value));
		this.unflushed++;
		if (store.ordered) this.keyOrders.note(store.index, key, value !== GONE);
	}

	/** About what a value takes encoded, which it is only when it is flushed. */
	private bytesOf(index: number, value: Entry): number {
		if (value === GONE) return 0;
		return value instanceof Uint8Array ? value.length : (this.encodedBytes[index] as number);
	}

	/** Entries that a flush would write. */
	get pendingFlush(): number {
		return this.unflushed;
	}

	get isFlushing(): boolean {
		return this.flushing !== undefined;
	}

	/**
	 * Writes everything to the database in one atomic batch. Only one flush runs at a time.
	 * @param extra changes outside the stores, in the same batch
	 * @param beside more of them, which take time to make
	 */
	async flush(
		sync: boolean,
		extra: readonly BatchChange[],
		beside?: Promise<readonly BatchChange[]>,
	): Promise<void> {
		if (this.flushing) throw new Error("a flush is already running");
		const flushing = this.changes;
		this.flushing = flushing;
		this.changes = makeMaps();
		this.unflushed = 0;
		let batch: WriteBatch | undefined;
		try {
			batch = beginBatch(this.database);
			const { put } = batch;
			const slices = new Slices(() => this.unflushed);
			for (const change of extra) put(change);
			await eachEntry(flushing, slices, (index, key, value) => {
				const store = storeAt(index);
				const bytes = value === GONE ? null : store.codec.encode(value, key);
				put({ key: diskKey(store, key), value: bytes });
				if (!bytes) return 0;
				const average = this.encodedBytes[index] as number;
				this.encodedBytes[index] = average + (bytes.length - average) * AVERAGE_SHARE;
				return bytes.length;
			});
			for (const change of (await beside) ?? []) {
				put(change);
				if (slices.isOver(change.value?.length ?? 0)) await slices.next();
			}
			await batch.write(sync);
		} catch (error) {
			this.takeBack(flushing);
			await batch?.drop();
			throw error;
		}
		for (const index of HISTORY) {
			for (const key of (flushing[index] as Map<string, Entry>).keys()) this.cache.drop(index, key);
		}
		for (const { flushed } of this.reading) flushed.push(flushing);
		this.flushing = undefined;
	}

	/** Nothing was written: the changes stay in memory, under whatever came since. */
	private takeBack(flushing: EntryMaps): void {
		flushing.forEach((map, index) => {
			const changes = this.changes[index] as Map<string, Entry>;
			for (const [key, value] of map) {
				if (changes.has(key)) continue;
				changes.set(key, value);
				this.unflushed++;
			}
		});
		this.flushing = undefined;
	}

	/** Changes of a store that the database doesn't have yet, newest first. */
	unwritten(index: number): readonly ReadonlyMap<string, Entry>[] {
		return [this.changes[index], this.flushing?.[index]].filter((map) => map !== undefined);
	}

	/** The first key of a store in the database at or after `from` and before `end`. */
	async firstStoredKey(
		store: StoreDefinition<unknown>,
		from: string,
		end: string,
	): Promise<string | undefined> {
		const stored = await this.database.firstKey(diskKey(store, from), diskKey(store, end));
		return stored && keyOf(stored);
	}

	/** The keys of a store with a prefix, those of entries too that are deleted but not yet in the database. */
	async keysWith(store: StoreDefinition<unknown>, prefix: string): Promise<Set<string>> {
		const { index } = store;
		const read: { readonly flushed: EntryMaps[] } = { flushed: [] };
		this.reading.add(read);
		try {
			const keys = new Set<string>();
			for await (const [key] of this.database.entries(diskKey(store, prefix))) keys.add(keyOf(key));
			for (const map of [...read.flushed.map((maps) => maps[index]), ...this.unwritten(index)]) {
				addWith(keys, map?.keys() ?? [], prefix);
			}
			return keys;
		} finally {
			this.reading.delete(read);
		}
	}

	/** The keys of a store in the database, ascending. */
	async *storedKeys(store: StoreDefinition<unknown>): AsyncGenerator<string> {
		for await (const [key] of this.database.entries(prefixOf(store))) {
			yield keyOf(key);
		}
	}

	/** How well the cache of the database serves each store; stores that were never asked are left out. */
	get cacheUse(): readonly CacheUse[] {
		return this.cache.use;
	}

	/** The files of the database by level; none where the chain lives in memory. */
	get diskLevels(): readonly DatabaseLevel[] {
		return this.database.levels?.() ?? [];
	}
}

/** What is kept of each store that stays in memory, but for what is written: others may ask for keys that aren't there. */
const RESIDENT_ENTRIES = 10_000;

/** Stores of a few hundred entries. */
const RESIDENT: ReadonlySet<number> = new Set(
	[stores.properties, stores.witnessSchedule, stores.upgradeVotes].map(({ index }) => index),
);

/** What a block leaves behind and no rule reads again soon, or only while it is new: kept for those who ask, not for having been written. */
const HISTORY: ReadonlySet<number> = new Set(
	[
		stores.block,
		stores.blockIndex,
		stores.transaction,
		stores.transactionResult,
		stores.transactionHistory,
		stores.recentBlock,
		stores.sectionBloom,
		stores.balanceTrace,
		stores.accountTrace,
	].map(({ index }) => index),
);

/** PERF: an array is asked in less time than a set. */
const isHistory = storeDefinitions.map(({ index }) => HISTORY.has(index));

/** What one value adds to the average of its store. */
const AVERAGE_SHARE = 1 / 64;

/** What is done without a break while nothing comes, in entries: encoding so many takes a few milliseconds at most. */
const SLICE_ENTRIES = 500;
/** A longer value counts as several entries. */
const ENTRY_BYTES = 512;
/** Entries that are written for one that comes meanwhile: an import must not fill memory before the database has its batch. */
const WRITTEN_FOR_ONE = 2;
/** But no turn takes longer than some twenty milliseconds, whatever came: many blocks may have become irreversible at once. */
const MAX_AHEAD = 5_000;

/** Cuts a flush into slices with turns of the event loop in between. */
class Slices {
	private left = SLICE_ENTRIES;

	/** @param unflushed entries that wait for the next flush */
	constructor(private readonly unflushed: () => number) {}

	/** @param bytes of the value that was written */
	isOver(bytes: number): boolean {
		this.left -= Math.max(1, bytes / ENTRY_BYTES);
		return this.left <= 0;
	}

	async next(): Promise<void> {
		const before = this.unflushed();
		await otherTurns();
		this.left = SLICE_ENTRIES + Math.min(MAX_AHEAD, WRITTEN_FOR_ONE * (this.unflushed() - before));
	}
}

/** @param visit tells how many bytes it worked on */
async function eachEntry(
	maps: EntryMaps,
	slices: Slices,
	visit: (index: number, key: string, value: Entry) => number,
): Promise<void> {
	for (const [index, map] of maps.entries()) {
		for (const [key, value] of map) {
			if (slices.isOver(visit(index, key, value))) await slices.next();
		}
	}
}

function prefixOf(store: StoreDefinition<unknown>): Uint8Array {
	return Uint8Array.of(store.index);
}

/** The entry's own key in that of the database. */
const keyOf = (key: Uint8Array): string => Buffer.from(key.subarray(1)).toString("latin1");

function diskKey(store: { readonly index: number }, key: string): Uint8Array {
	return fillKey(Buffer.allocUnsafe(key.length + 1), store.index, key);
}

/** Most keys are shorter than this. */
const SHORT_KEY = 64;
const shortKeys = Array.from({ length: SHORT_KEY }, (_, length) => Buffer.allocUnsafeSlow(length));

/** A key that the next one of its length overwrites: databases read it before they answer. */
function readingKey(store: { readonly index: number }, key: string): Uint8Array {
	const bytes = shortKeys[key.length + 1];
	return bytes ? fillKey(bytes, store.index, key) : diskKey(store, key);
}

function fillKey(bytes: Buffer, index: number, key: string): Uint8Array {
	bytes[0] = index;
	for (let i = 0; i < key.length; i++) bytes[i + 1] = key.charCodeAt(i);
	return bytes;
}
