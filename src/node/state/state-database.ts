/**
 * The state of the chain at three levels, read from the top:
 *
 * - **head**: what the blocks since the base, the pending pool and the running transaction changed. A journal of
 *   before-images undoes any of it: a failed transaction, the pending pool, a block.
 * - **base**: the state after the newest block that can no longer be undone; what the solidity API reads. Changes
 *   gather in memory and are written to the database in one atomic batch.
 * - **database**: LevelDB, with a cache of decoded values before it.
 *
 * Values are immutable: a changed record is a new object.
 */

import type { StateBackend } from "./backend.js";
import { BaseHistory, type FormerValues, type HistoryMark, setFormer } from "./base-history.js";
import type { Change, DatabaseLevel, KeyValueDatabase } from "./database.js";
import { type StoreDefinition, storeDefinitions, stores } from "./definition.js";
import { OrderedKeys, type SortedKeys } from "./ordered-keys.js";
import { type CacheUse, ValueCache } from "./value-cache.js";

/** A deleted entry. */
const GONE = null;

/** In a before-image: the head had no entry, the base answered. */
const ABSENT = Symbol("absent");

type Entry = unknown | typeof GONE;

/** Reads of a former state up to which looking each entry up beats gathering all that changed since. */
const FEW_READS = 24;

/** A changed entry of a block: its value before (as a before-image) and after. */
interface ChangedEntry {
	before: Entry | typeof ABSENT;
	after: Entry;
	/** The change of the same entry before this one, and after it, among the blocks that can be undone. */
	older: ChangedEntry | undefined;
	newer: ChangedEntry | undefined;
}

/** What one block changed, by store index and key. */
export interface BlockChange {
	readonly number: bigint;
	readonly entries: readonly ReadonlyMap<string, ChangedEntry>[];
}

/** One entry that a block changed, in encoded form. */
export interface EntryChange {
	readonly store: StoreDefinition<unknown>;
	readonly key: string;
	readonly before: Uint8Array | null;
	readonly after: Uint8Array | null;
}

/** Rewrites a value that moves into the base: the place of layout rules that the network applies on flushing. */
export type SettleValue = <V>(base: StateBackend, store: StoreDefinition<V>, value: V) => V;

const STORE_COUNT = storeDefinitions.length;

const makeMaps = <V>(): Map<string, V>[] => Array.from({ length: STORE_COUNT }, () => new Map<string, V>());

export class StateDatabase {
	private readonly head: Map<string, Entry>[] = makeMaps();
	private base: Map<string, Entry>[] = makeMaps();
	/** Base changes on their way to the database. */
	private flushing: Map<string, Entry>[] | undefined;
	/** What the database holds; {@link GONE} for nothing, since rules ask for the same missing entries again and again. */
	private readonly cache = new ValueCache<Entry>(HISTORY);
	private readonly headKeys: (OrderedKeys | undefined)[] = [];
	private readonly baseKeys: (OrderedKeys | undefined)[] = [];

	private readonly journalStores: number[] = [];
	private readonly journalKeys: string[] = [];
	private readonly journalBefore: (Entry | typeof ABSENT)[] = [];

	/** The newest change of each entry, among the blocks that can be undone. */
	private readonly newest: Map<string, ChangedEntry>[] = makeMaps();

	/** Blocks that can still be undone, oldest first. */
	private readonly blocks: BlockChange[] = [];

	private settled = 0n;

	/** Entries changed in the base since the last flush began. */
	private unflushed = 0;

	/** Development chains only. */
	private history: BaseHistory | undefined;

	private constructor(
		private readonly database: KeyValueDatabase,
		private readonly settleValue: SettleValue,
	) {}

	/**
	 * Opens the state on a database; ordered stores read their keys.
	 * @param settleValue rewrites a value as it moves into the base
	 */
	static async open(
		database: KeyValueDatabase,
		settleValue: SettleValue = (_base, _store, value) => value,
	): Promise<StateDatabase> {
		const state = new StateDatabase(database, settleValue);
		for (const store of storeDefinitions) {
			if (!store.ordered) continue;
			const keys: string[] = [];
			for await (const [key] of database.entries(prefixOf(store))) {
				keys.push(Buffer.from(key.subarray(1)).toString("latin1"));
			}
			const ordered = new OrderedKeys(keys, store.order);
			state.baseKeys[store.index] = ordered;
			state.headKeys[store.index] = ordered.copy();
		}
		return state;
	}

	/** The newest state, pending transactions included. */
	readonly headBackend: StateBackend = {
		get: (store, key) => this.get(store, key),
		put: (store, key, value) => this.put(store, key, value),
		delete: (store, key) => this.put(store, key, GONE as never),
		keys: (store) => orderedKeys(this.headKeys, store),
		unsettledKeys: (store) => this.unsettledKeys(store.index),
	};

	/** The base, for readers: what the solidity API serves (sheet 06 §11.1). */
	readonly solidBackend: StateBackend = {
		get: (store, key) => this.baseGet(store, key),
		put: readOnly,
		delete: readOnly,
		keys: (store) => orderedKeys(this.baseKeys, store),
	};

	/** The state after the newest block that can't be undone. Writes go straight to it: only genesis does that. */
	readonly baseBackend: StateBackend = {
		get: (store, key) => this.baseGet(store, key),
		put: (store, key, value) => this.basePut(store, key, value),
		delete: readOnly,
		keys: (store) => orderedKeys(this.baseKeys, store),
	};

	private get<V>(store: StoreDefinition<V>, key: string): V | undefined {
		const value = (this.head[store.index] as Map<string, Entry>).get(key);
		if (value !== undefined) return value === GONE ? undefined : (value as V);
		return this.baseGet(store, key);
	}

	private put<V>(store: StoreDefinition<V>, key: string, value: V): void {
		const map = this.head[store.index] as Map<string, Entry>;
		const before = map.get(key);
		this.journalStores.push(store.index);
		this.journalKeys.push(key);
		this.journalBefore.push(before === undefined ? ABSENT : before);
		map.set(key, value);
		// A value in place of a value leaves the keys as they are.
		const isKnown = before !== undefined && before !== GONE && value !== GONE;
		if (store.ordered && !isKnown) setKey(this.headKeys, store.index, key, value !== GONE);
	}

	/** PERF: grows with what is pending. */
	private unsettledKeys(index: number): Iterable<string>[] {
		const pending = new Set<string>();
		for (let i = 0; i < this.journalStores.length; i++) {
			if (this.journalStores[i] === index) pending.add(this.journalKeys[i] as string);
		}
		return [...this.blocks.map(({ entries }) => entries[index]?.keys() ?? []), pending];
	}

	private baseGet<V>(store: StoreDefinition<V>, key: string): V | undefined {
		const index = store.index;
		let value = (this.base[index] as Map<string, Entry>).get(key);
		if (value === undefined && this.flushing) value = (this.flushing[index] as Map<string, Entry>).get(key);
		if (value !== undefined) return value === GONE ? undefined : (value as V);
		const cached = this.cache.get(index, key);
		if (cached !== undefined) return cached === GONE ? undefined : (cached as V);
		const bytes = this.database.get(diskKey(store, key));
		const stored = bytes === undefined ? GONE : store.codec.decode(bytes, key);
		this.cache.keep(index, key, stored, bytes?.length ?? 0);
		return stored === GONE ? undefined : stored;
	}

	private basePut<V>(store: StoreDefinition<V>, key: string, value: V): void {
		this.setBase(store, key, this.settleValue(this.baseBackend, store, value));
		if (store.ordered) setKey(this.headKeys, store.index, key, true);
	}

	private setBase(store: StoreDefinition<unknown>, key: string, value: Entry): void {
		this.history?.record(store.index, key, this.baseGet(store, key) ?? GONE);
		(this.base[store.index] as Map<string, Entry>).set(key, value);
		this.unflushed++;
		if (store.ordered) setKey(this.baseKeys, store.index, key, value !== GONE);
	}

	/** How well the cache of the database serves each store; stores that were never asked are left out. */
	get cacheUse(): readonly CacheUse[] {
		return this.cache.use;
	}

	/** The files of the database by level; none where the chain lives in memory. */
	get diskLevels(): readonly DatabaseLevel[] {
		return this.database.levels?.() ?? [];
	}

	/** A point to which {@link revert} can return. */
	mark(): number {
		return this.journalStores.length;
	}

	/** Undoes every write since the mark. */
	revert(mark: number): void {
		for (let i = this.journalStores.length - 1; i >= mark; i--) {
			this.restore(this.journalStores[i] as number, this.journalKeys[i] as string, this.journalBefore[i]);
		}
		this.journalStores.length = mark;
		this.journalKeys.length = mark;
		this.journalBefore.length = mark;
	}

	private restore(index: number, key: string, before: Entry | typeof ABSENT): void {
		const map = this.head[index] as Map<string, Entry>;
		if (before === ABSENT) map.delete(key);
		else map.set(key, before);
		const store = storeDefinitions[index] as StoreDefinition<unknown>;
		if (store.ordered) setKey(this.headKeys, index, key, this.get(store, key) !== undefined);
	}

	/** Turns every write since the last block into the change of a block that can be undone. */
	commitBlock(number: bigint): BlockChange {
		const before: Map<string, Entry | typeof ABSENT>[] = makeMaps();
		for (let i = 0; i < this.journalStores.length; i++) {
			const map = before[this.journalStores[i] as number] as Map<string, Entry | typeof ABSENT>;
			const key = this.journalKeys[i] as string;
			if (!map.has(key)) map.set(key, this.journalBefore[i]);
		}
		this.forgetJournal();
		const entries = before.map((map, index) => {
			const after = this.head[index] as Map<string, Entry>;
			const changed = new Map<string, ChangedEntry>();
			const newest = this.newest[index] as Map<string, ChangedEntry>;
			for (const [key, value] of map) {
				const older = newest.get(key);
				const entry: ChangedEntry = { before: value, after: after.get(key), older, newer: undefined };
				if (older) older.newer = entry;
				changed.set(key, entry);
				newest.set(key, entry);
			}
			return changed;
		});
		const change = { number, entries };
		this.blocks.push(change);
		return change;
	}

	private forgetJournal(): void {
		this.journalStores.length = 0;
		this.journalKeys.length = 0;
		this.journalBefore.length = 0;
	}

	/** How many blocks can be undone. */
	get undoable(): number {
		return this.blocks.length;
	}

	/** Undoes the newest block. Nothing may be pending. */
	undoBlock(): void {
		if (this.journalStores.length > 0) throw new Error("pending changes must be reverted before a block");
		const change = this.blocks.pop();
		if (!change) throw new Error("no block can be undone");
		change.entries.forEach((map, index) => {
			const newest = this.newest[index] as Map<string, ChangedEntry>;
			for (const [key, { before, older }] of map) {
				this.restore(index, key, before);
				if (!older) {
					newest.delete(key);
					continue;
				}
				older.newer = undefined;
				newest.set(key, older);
			}
		});
	}

	/** The entries whose value a block changed, encoded. Valid until the block moves into the base. */
	*changesOf(change: BlockChange): Generator<EntryChange> {
		for (const [index, map] of change.entries.entries()) {
			const store = storeDefinitions[index] as StoreDefinition<unknown>;
			for (const [key, entry] of map) {
				const old = entry.before === ABSENT ? this.baseGet(store, key) : (entry.before ?? undefined);
				const before = old === undefined ? null : store.codec.encode(old, key);
				const after = entry.after === GONE ? null : store.codec.encode(entry.after, key);
				if (before === null ? after === null : after !== null && Buffer.compare(before, after) === 0)
					continue;
				yield { store, key, before, after };
			}
		}
	}

	/** Height of the base: blocks up to it can no longer be undone. */
	get settledNumber(): bigint {
		return this.settled;
	}

	/** Moves blocks up to a number into the base: they can no longer be undone. */
	settle(number: bigint): void {
		while (this.blocks.length > 0 && (this.blocks[0] as BlockChange).number <= number) {
			this.settleOne(this.blocks.shift() as BlockChange);
		}
	}

	private settleOne(change: BlockChange): void {
		const pending = this.journalStores.length > 0 ? this.leadPendingToBase(change) : undefined;
		this.history?.beginBlock(change.number);
		change.entries.forEach((map, index) => {
			const head = this.head[index] as Map<string, Entry>;
			const store = storeDefinitions[index] as StoreDefinition<unknown>;
			const newest = this.newest[index] as Map<string, ChangedEntry>;
			for (const [key, { after, newer }] of map) {
				this.setBase(store, key, after === GONE ? GONE : this.settleValue(this.baseBackend, store, after));
				if (newer) {
					// Undoing the newer change leads to the base's value from now on, not to a copy of its own.
					newer.older = undefined;
					if (newer.before === after) newer.before = ABSENT;
					continue;
				}
				newest.delete(key);
				if (!pending?.[index]?.has(key)) head.delete(key);
			}
		});
		this.settled = change.number;
	}

	/**
	 * Lets the reverting of what is pending lead to the base, where a block that settles now gave the value before.
	 * @returns the pending keys, by store index
	 */
	private leadPendingToBase(change: BlockChange): readonly ReadonlySet<string>[] {
		const pending = Array.from({ length: STORE_COUNT }, () => new Set<string>());
		for (let i = 0; i < this.journalStores.length; i++) {
			const index = this.journalStores[i] as number;
			const key = this.journalKeys[i] as string;
			const keys = pending[index] as Set<string>;
			if (keys.has(key)) continue;
			keys.add(key);
			const entry = change.entries[index]?.get(key);
			if (entry && !entry.newer) this.journalBefore[i] = ABSENT;
		}
		return pending;
	}

	/**
	 * Keeps what the base was before, so that it can go back: for development chains.
	 * @param blocks how many final blocks {@link stateBefore} reaches behind
	 */
	keepHistory(blocks: number): void {
		this.history = new BaseHistory(blocks, this.settled);
	}

	/** The state as it can be changed outside of blocks: both base and head show it. Nothing may be pending. */
	readonly editBackend: StateBackend = {
		get: (store, key) => this.get(store, key),
		put: (store, key, value) => this.edit(store, key, value),
		delete: (store, key) => this.edit(store, key, GONE as never),
		keys: (store) => orderedKeys(this.headKeys, store),
	};

	private edit<V>(store: StoreDefinition<V>, key: string, value: V): void {
		if (this.journalStores.length > 0) throw new Error("pending changes must be reverted before an edit");
		const settled = value === GONE ? GONE : this.settleValue(this.baseBackend, store, value);
		this.setBase(store, key, settled);
		// A block that isn't final yet changed the entry too: the edit is newer.
		const newest = this.newest[store.index]?.get(key);
		if (newest) {
			newest.after = value;
			(this.head[store.index] as Map<string, Entry>).set(key, value);
		}
		if (store.ordered) setKey(this.headKeys, store.index, key, value !== GONE);
	}

	/** A point to which {@link returnTo} can go back. Nothing may be pending. */
	historyMark(): { readonly base: HistoryMark; readonly blocks: readonly BlockChange[] } {
		if (!this.history) throw new Error("this state keeps no history");
		return { base: this.history.mark(this.settled), blocks: [...this.blocks] };
	}

	/** The state need no longer return to a mark. */
	forgetMark({ base }: ReturnType<StateDatabase["historyMark"]>): void {
		this.history?.forget(base);
	}

	/** Brings the state back to a mark, which stays one. Nothing may be pending. */
	returnTo({ base, blocks }: ReturnType<StateDatabase["historyMark"]>): void {
		const { history } = this;
		if (!history) throw new Error("this state keeps no history");
		while (this.blocks.length > 0) this.undoBlock();
		for (const { index, key, before } of history.takeBack(base)) {
			(this.base[index] as Map<string, Entry>).set(key, before);
			this.unflushed++;
			const store = storeDefinitions[index] as StoreDefinition<unknown>;
			if (!store.ordered) continue;
			setKey(this.baseKeys, index, key, before !== GONE);
			setKey(this.headKeys, index, key, before !== GONE);
		}
		this.settled = base.settled;
		for (const { number, entries } of blocks) {
			entries.forEach((map, index) => {
				const store = storeDefinitions[index] as StoreDefinition<unknown>;
				for (const [key, { after }] of map) this.put(store, key, after);
			});
			this.commitBlock(number);
		}
	}

	/** Says that the base was replaced as a whole, and is the state after a block. */
	restartAt(number: bigint): void {
		this.settled = number;
		this.history?.clear(number);
	}

	/** The state before a block, for readers; undefined if it is too long ago. It holds until the next change. */
	stateBefore(number: bigint): StateBackend | undefined {
		const isFinal = number <= this.settled;
		const final = isFinal ? this.history?.before(number) : undefined;
		if (isFinal && !final) return undefined;
		let made = final;
		const all = (): FormerValues => {
			made ??= this.beforeUndoable(number);
			return made;
		};
		let reads = 0;
		const formerOf = (index: number, key: string): unknown =>
			made || ++reads > FEW_READS ? all().get(index)?.get(key) : this.valueBefore(number, index, key);
		return {
			get: <V>(store: StoreDefinition<V>, key: string): V | undefined => {
				const former = formerOf(store.index, key);
				if (former === ABSENT) return this.baseGet(store, key);
				if (former !== undefined) return former === GONE ? undefined : (former as V);
				return isFinal ? this.baseGet(store, key) : this.get(store, key);
			},
			put: readOnly,
			delete: readOnly,
			keys: (store) => {
				const now = orderedKeys(isFinal ? this.baseKeys : this.headKeys, store);
				const keys = now.copy();
				for (const [key, former] of all().get(store.index) ?? []) {
					const isThere = former === ABSENT ? this.baseGet(store, key) !== undefined : former !== GONE;
					if (isThere) keys.add(key);
					else keys.delete(key);
				}
				return keys;
			},
		};
	}

	/** What {@link beforeUndoable} has for one entry. PERF: grows with the blocks and with what is pending. */
	private valueBefore(number: bigint, index: number, key: string): unknown {
		for (const change of this.blocks) {
			const entry = change.number < number ? undefined : change.entries[index]?.get(key);
			if (entry) return entry.before;
		}
		for (let i = 0; i < this.journalStores.length; i++) {
			if (this.journalStores[i] === index && this.journalKeys[i] === key) return this.journalBefore[i];
		}
		return undefined;
	}

	private beforeUndoable(number: bigint): FormerValues {
		const values = new Map<number, Map<string, unknown>>();
		for (let i = this.journalStores.length - 1; i >= 0; i--) {
			setFormer(
				values,
				this.journalStores[i] as number,
				this.journalKeys[i] as string,
				this.journalBefore[i],
			);
		}
		for (const change of [...this.blocks].reverse()) {
			if (change.number < number) break;
			change.entries.forEach((map, index) => {
				for (const [key, { before }] of map) setFormer(values, index, key, before);
			});
		}
		return values;
	}

	/** Entries that a flush would write. */
	get pendingFlush(): number {
		return this.unflushed;
	}

	/** Whether a flush is under way. */
	get isFlushing(): boolean {
		return this.flushing !== undefined;
	}

	/**
	 * Writes the base to the database in one atomic batch. Only one flush runs at a time.
	 * @param extra changes outside the stores, in the same batch
	 */
	async flush(sync: boolean, extra: readonly Change[] = []): Promise<void> {
		if (this.flushing) throw new Error("a flush is already running");
		const changes: Change[] = [...extra];
		const flushing = this.base;
		flushing.forEach((map, index) => {
			const store = storeDefinitions[index] as StoreDefinition<unknown>;
			for (const [key, value] of map) {
				changes.push({
					key: diskKey(store, key),
					value: value === GONE ? null : store.codec.encode(value, key),
				});
			}
		});
		this.flushing = flushing;
		this.base = makeMaps();
		this.unflushed = 0;
		try {
			await this.database.write(changes, sync);
		} catch (error) {
			// Nothing was written: the changes stay in memory, under whatever came since.
			flushing.forEach((map, index) => {
				const base = this.base[index] as Map<string, Entry>;
				for (const [key, value] of map) {
					if (base.has(key)) continue;
					base.set(key, value);
					this.unflushed++;
				}
			});
			this.flushing = undefined;
			throw error;
		}
		let at = extra.length;
		flushing.forEach((map, index) => {
			const isHistory = HISTORY.has(index);
			for (const [key, value] of map) {
				const bytes = changes[at++]?.value?.length ?? 0;
				if (isHistory) this.cache.drop(index, key);
				else this.cache.replace(index, key, value, bytes);
			}
		});
		this.flushing = undefined;
	}

	/**
	 * The first key of a store in the head state at or after `from` and before `end`. For stores that never delete: it
	 * doesn't look whether a key that the database has was deleted since.
	 *
	 * PERF: grows with the changes that are not in the database yet.
	 */
	async firstKey(store: StoreDefinition<unknown>, from: string, end: string): Promise<string | undefined> {
		let least: string | undefined;
		for (const maps of [this.head, this.base, this.flushing]) {
			for (const [key, value] of maps?.[store.index] ?? []) {
				if (value !== GONE && key >= from && key < end && (least === undefined || key < least)) least = key;
			}
		}
		const stored = await this.database.firstKey(diskKey(store, from), diskKey(store, least ?? end));
		return stored ? Buffer.from(stored.subarray(1)).toString("latin1") : least;
	}

	/** Every entry of a store in the head state, encoded; for dumps and checks, not for rules. */
	async *dump(store: StoreDefinition<unknown>): AsyncGenerator<readonly [string, Uint8Array]> {
		const seen = new Set<string>();
		for (const maps of [this.head, this.base, this.flushing]) {
			for (const key of (maps?.[store.index] ?? new Map<string, Entry>()).keys()) seen.add(key);
		}
		for await (const [diskKeyBytes] of this.database.entries(prefixOf(store))) {
			seen.add(Buffer.from(diskKeyBytes.subarray(1)).toString("latin1"));
		}
		for (const key of [...seen].sort()) {
			const value = this.get(store, key);
			if (value !== undefined) yield [key, store.codec.encode(value, key)] as const;
		}
	}
}

/** What a block leaves behind and no rule reads again soon, or only while it is new: kept for those who ask, not for having been written. */
const HISTORY: ReadonlySet<number> = new Set(
	[
		stores.block,
		stores.blockIndex,
		stores.transaction,
		stores.transactionResult,
		stores.recentBlock,
		stores.sectionBloom,
		stores.balanceTrace,
		stores.accountTrace,
	].map(({ index }) => index),
);

function readOnly(): never {
	throw new Error("this view of the state can't be written");
}

function orderedKeys(
	all: readonly (OrderedKeys | undefined)[],
	store: { readonly index: number; readonly name: string },
): SortedKeys {
	const keys = all[store.index];
	if (!keys) throw new Error(`store ${store.name} keeps no key order`);
	return keys;
}

function setKey(
	all: readonly (OrderedKeys | undefined)[],
	index: number,
	key: string,
	present: boolean,
): void {
	const keys = all[index] as OrderedKeys;
	if (present) keys.add(key);
	else keys.delete(key);
}

function prefixOf(store: StoreDefinition<unknown>): Uint8Array {
	return Uint8Array.of(store.index);
}

function diskKey(store: { readonly index: number }, key: string): Uint8Array {
	const bytes = Buffer.allocUnsafe(key.length + 1);
	bytes[0] = store.index;
	bytes.write(key, 1, "latin1");
	return bytes;
}
