/**
 * The base: the state after the newest irreversible block, in memory over the database.
 *
 * Contract: a write is visible at once and permanent. {@link BaseState.flush} writes all of them to the
 * database in one atomic batch, without any change to what is read during or after it. A failed flush leaves
 * everything in memory. Reads are synchronous.
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

/** An entry about to be read. */
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
	/** Changes being written to the database. */
	private flushing: EntryMaps | undefined;
	/**
	 * The newest values, {@link GONE} for missing ones, since rules look up the same missing entries
	 * repeatedly. For history stores it holds what the database has.
	 */
	private readonly cache: ValueCache<Entry>;
	/** Average bytes of an encoded value by store index, from the most recent flushes. */
	private readonly encodedBytes = new Float64Array(STORE_COUNT).fill(64);
	/** PERF: small stores read by every transaction, kept entirely once read; by store index. */
	private readonly resident = storeDefinitions.map(({ index }) =>
		RESIDENT.has(index) ? new Map<string, Entry>() : undefined,
	);
	/** Entries changed since the last flush began. */
	private unflushed = 0;
	/** Prefetches in progress, each with the entries flushed since it began. */
	private readonly reading = new Set<{ readonly flushed: EntryMaps[] }>();
	/** Called on every write, if state history of edits or the state hash is maintained. */
	recorder: BaseRecorder | undefined;

	private constructor(
		private readonly database: KeyValueDatabase,
		private readonly known: KnownProperties,
		budget: CacheBudget | undefined,
	) {
		this.cache = new ValueCache<Entry>(HISTORY, budget);
	}

	/**
	 * Opens the base on a database and loads the keys of ordered stores.
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

	/** The value of an entry not yet in the database. */
	private unflushedValue(index: number, key: string): Entry | undefined {
		const changed = (this.changes[index] as Map<string, Entry>).get(key);
		if (changed !== undefined || !this.flushing) return changed;
		return (this.flushing[index] as Map<string, Entry>).get(key);
	}

	/**
	 * Reads entries into the cache on other threads, so that a block needn't wait for them. Entries that a
	 * flush replaced in the meantime aren't kept.
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

	/** Writes an entry without calling the recorder, when restoring its former value. */
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

	/** Estimated encoded size of a value; it is encoded only when flushed. */
	private bytesOf(index: number, value: Entry): number {
		if (value === GONE) return 0;
		return value instanceof Uint8Array ? value.length : (this.encodedBytes[index] as number);
	}

	/** Number of entries a flush would write. */
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

	/** Nothing was written: the changes stay in memory, beneath newer ones. */
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

	/** Changes of a store not yet in the database, newest first. */
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

	/** The keys of a store with a prefix, including deleted entries whose deletion isn't in the database yet. */
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

	/** Cache statistics per store; stores never read are left out. */
	get cacheUse(): readonly CacheUse[] {
		return this.cache.use;
	}

	/** The database files by level; empty for an in-memory chain. */
	get diskLevels(): readonly DatabaseLevel[] {
		return this.database.levels?.() ?? [];
	}
}

/** Limit per resident store for entries that were only read: callers may look up keys that don't exist. */
const RESIDENT_ENTRIES = 10_000;

/** Stores of a few hundred entries. */
const RESIDENT: ReadonlySet<number> = new Set(
	[stores.properties, stores.witnessSchedule, stores.upgradeVotes].map(({ index }) => index),
);

/** History: written once per block and rarely read by rules; cached when read, not when written. */
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

/** PERF: an array lookup is faster than a set's. */
const isHistory = storeDefinitions.map(({ index }) => HISTORY.has(index));

/** Weight of one value in its store's moving average. */
const AVERAGE_SHARE = 1 / 64;

/** Entries encoded per slice when nothing new comes in: a few milliseconds at most. */
const SLICE_ENTRIES = 500;
/** Longer values count as several entries. */
const ENTRY_BYTES = 512;
/** Entries written per newly changed one: an import must not fill memory before the batch is written. */
const WRITTEN_FOR_ONE = 2;
/** But no turn exceeds some twenty milliseconds: many blocks may have become irreversible at once. */
const MAX_AHEAD = 5_000;

/** Splits a flush into slices, yielding to the event loop in between. */
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

/** The entry's key without the database prefix. */
const keyOf = (key: Uint8Array): string => Buffer.from(key.subarray(1)).toString("latin1");

function diskKey(store: { readonly index: number }, key: string): Uint8Array {
	return fillKey(Buffer.allocUnsafe(key.length + 1), store.index, key);
}

/** Most keys are shorter than this. */
const SHORT_KEY = 64;
const shortKeys = Array.from({ length: SHORT_KEY }, (_, length) => Buffer.allocUnsafeSlow(length));

/** A key buffer reused for the next key of its length: databases read it before they return. */
function readingKey(store: { readonly index: number }, key: string): Uint8Array {
	const bytes = shortKeys[key.length + 1];
	return bytes ? fillKey(bytes, store.index, key) : diskKey(store, key);
}

function fillKey(bytes: Buffer, index: number, key: string): Uint8Array {
	bytes[0] = index;
	for (let i = 0; i < key.length; i++) bytes[i + 1] = key.charCodeAt(i);
	return bytes;
}
