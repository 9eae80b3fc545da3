/**
 * The state of the chain at three levels, read from the top:
 *
 * - **head**: what the blocks since the base, the pending pool and the running transaction changed, as one map. A journal
 *   (`journal.ts`) undoes the writes since the last block; `undoable-blocks.ts` holds what each block changed.
 * - **base** (`base-state.ts`): the state after the newest block that can no longer be undone; what the solidity API
 *   reads. Changes gather in memory and are written to the database in one atomic batch.
 * - **database** (`database.ts`): LevelDB, with a cache of decoded values before it.
 *
 * This file is where they meet: a read goes down, a settled block moves down. Values are immutable: a changed record is a
 * new object.
 */

import { BaseState, type WantedEntry } from "./base-state.js";
import type { CacheBudget } from "./cache-budget.js";
import { ChangeHistory } from "./change-history.js";
import type { BatchChange, DatabaseLevel, KeyValueDatabase } from "./database.js";
import type { StoreDefinition } from "./definition.js";
import {
	addWith,
	type Entry,
	type EntryMaps,
	GONE,
	KeyOrders,
	makeMaps,
	readOnly,
	type StateBackend,
	storeAt,
} from "./entry.js";
import { beforeFinal, beforeUndoable } from "./former-state.js";
import { isRecorded } from "./history-stores.js";
import { stateInHistory } from "./history-view.js";
import { Journal, NONE } from "./journal.js";
import { KnownProperties } from "./known-properties.js";
import type { OrderedKeys } from "./ordered-keys.js";
import { FollowedHash, type FollowedHashOptions } from "./state-hash/followed-hash.js";
import { type HistorySubject, StateHistory } from "./state-history.js";
import { type BlockChange, type HeadEntry, UndoableBlocks } from "./undoable-blocks.js";
import type { CacheUse } from "./value-cache.js";

export type { BlockChange } from "./undoable-blocks.js";

/** One entry that a block changed, in encoded form. */
interface EntryChange {
	readonly store: StoreDefinition<unknown>;
	readonly key: string;
	readonly before: Uint8Array | null;
	readonly after: Uint8Array | null;
}

/** Rewrites a value that moves into the base: the place of layout rules that the network applies on flushing. */
export type SettleValue = <V>(base: StateBackend, store: StoreDefinition<V>, value: V) => V;

/** Former states whose entries stay decoded. */
const KEPT_VIEWS = 8;

export class StateDatabase {
	private readonly entries: EntryMaps<HeadEntry> = makeMaps();
	private readonly headKeys = new KeyOrders();
	private readonly journal = new Journal();
	private readonly blocks = new UndoableBlocks(this.entries);
	private readonly known = new KnownProperties();
	private base!: BaseState;
	private settled = 0n;
	/** Development chains only. */
	private kept: StateHistory | undefined;
	/** What final blocks changed; undefined where that isn't kept. */
	private changes: ChangeHistory | undefined;
	private hash: FollowedHash | undefined;
	/** Views of the history by block, those asked for last at the end. */
	private readonly views = new Map<bigint, StateBackend>();

	private constructor(
		private readonly database: KeyValueDatabase,
		private readonly settleValue: SettleValue,
	) {}

	/**
	 * Opens the state on a database; ordered stores read their keys.
	 * @param settleValue rewrites a value as it moves into the base
	 * @param budget how much of the database is kept decoded; absent: the usual
	 */
	static async open(
		database: KeyValueDatabase,
		settleValue: SettleValue = (_base, _store, value) => value,
		budget?: CacheBudget,
	): Promise<StateDatabase> {
		const state = new StateDatabase(database, settleValue);
		const copyKeys = (index: number, keys: OrderedKeys): void => state.headKeys.set(index, keys.copy());
		state.base = await BaseState.open(database, state.known, copyKeys, budget);
		return state;
	}

	/** The newest state, pending transactions included. */
	readonly headBackend: StateBackend = {
		get: (store, key) => this.get(store, key),
		settled: (store, key) => this.base.get(store, key),
		knownProperties: this.known,
		put: (store, key, value) => this.put(store, key, value),
		delete: (store, key) => this.put(store, key, GONE as never),
		keys: (store) => this.headKeys.of(store),
		keysEver: (store, prefix) => this.keysEver(store, prefix),
		unsettledKeys: (store) => this.unsettledKeys(store.index),
	};

	/** The base, for readers: what the solidity API serves (protocol/http §5.1). */
	readonly solidBackend: StateBackend = {
		get: (store, key) => this.base.get(store, key),
		put: readOnly,
		delete: readOnly,
		keys: (store) => this.base.keyOrders.of(store),
		keysEver: (store, prefix) => this.keysEver(store, prefix),
	};

	/** The state after the newest block that can't be undone. Writes go straight to it: only genesis does that. */
	readonly baseBackend: StateBackend = {
		get: (store, key) => this.base.get(store, key),
		put: (store, key, value) => this.basePut(store, key, value),
		delete: readOnly,
		keys: (store) => this.base.keyOrders.of(store),
		keysEver: (store, prefix) => this.keysEver(store, prefix),
	};

	/** PERF: grows with the changes that are not in the database yet. */
	private async keysEver(store: StoreDefinition<unknown>, prefix: string): Promise<ReadonlySet<string>> {
		const gone = await this.changes?.keysWith(store.index, prefix);
		const keys = await this.base.keysWith(store, prefix);
		for (const key of gone ?? []) keys.add(key);
		const { index } = store;
		addWith(keys, this.headOf(index).keys(), prefix);
		this.kept?.addKeysWith(keys, index, prefix);
		return keys;
	}

	private headOf(index: number): Map<string, HeadEntry> {
		return this.entries[index] as Map<string, HeadEntry>;
	}

	private get<V>(store: StoreDefinition<V>, key: string): V | undefined {
		const entry = this.headOf(store.index).get(key);
		if (!entry) return this.base.get(store, key);
		return entry.value === GONE ? undefined : (entry.value as V);
	}

	private put<V>(store: StoreDefinition<V>, key: string, value: V): void {
		const map = this.headOf(store.index);
		const entry = map.get(key);
		const before = entry ? entry.value : NONE;
		this.journal.record(store.index, key, before);
		if (entry) entry.value = value;
		else map.set(key, { key, value, change: undefined });
		this.known.forget(store.index, key);
		// A value in place of a value leaves the keys as they are.
		const isKnown = before !== NONE && before !== GONE && value !== GONE;
		if (store.ordered && !isKnown) this.headKeys.note(store.index, key, value !== GONE);
	}

	private basePut<V>(store: StoreDefinition<V>, key: string, value: V): void {
		this.base.set(store, key, this.settleValue(this.baseBackend, store, value));
		if (store.ordered) this.headKeys.note(store.index, key, true);
	}

	/** PERF: grows with what is pending. */
	private unsettledKeys(index: number): Iterable<string>[] {
		const pending = new Set<string>();
		this.journal.each((store, key) => {
			if (store === index) pending.add(key);
		});
		const written = this.blocks.all.map(({ entries }) =>
			(entries[index] ?? []).map(({ entry }) => entry.key),
		);
		return [...written, pending];
	}

	/** How well the cache of the database serves each store; stores that were never asked are left out. */
	get cacheUse(): readonly CacheUse[] {
		return this.base.cacheUse;
	}

	/** Reads entries into the cache on other threads ({@link BaseState.readAhead}). */
	readAhead(wanted: readonly WantedEntry[]): Promise<number> {
		return this.base.readAhead(wanted.filter(({ store, key }) => !this.entries[store.index]?.has(key)));
	}

	/** The files of the database by level; none where the chain lives in memory. */
	get diskLevels(): readonly DatabaseLevel[] {
		return this.base.diskLevels;
	}

	/** A point to which {@link revert} can return. */
	mark(): number {
		return this.journal.length;
	}

	/** Undoes every write since the mark. */
	revert(mark: number): void {
		this.journal.revert(mark, this.restore);
	}

	private readonly restore = (index: number, key: string, before: unknown): void => {
		const map = this.headOf(index);
		if (before === NONE) map.delete(key);
		else (map.get(key) as HeadEntry).value = before;
		this.known.forget(index, key);
		const store = storeAt(index);
		if (store.ordered) this.headKeys.note(index, key, this.get(store, key) !== undefined);
	};

	/** Turns every write since the last block into the change of a block that can be undone. */
	commitBlock(number: bigint): BlockChange {
		const change = this.blocks.add(number, this.journal);
		this.journal.clear();
		return change;
	}

	/** How many blocks can be undone. */
	get undoable(): number {
		return this.blocks.count;
	}

	/** Undoes the newest block. Nothing may be pending. */
	undoBlock(): void {
		if (this.journal.length > 0) throw new Error("pending changes must be reverted before a block");
		this.blocks.undo(this.restore);
	}

	/** The entries whose value a block changed, encoded. Valid until the block moves into the base. */
	*changesOf(change: BlockChange): Generator<EntryChange> {
		for (const [index, changes] of change.entries.entries()) {
			const store = storeAt(index);
			for (const { entry, before, after } of changes) {
				const { key } = entry;
				const former = before === NONE ? this.base.get(store, key) : (before ?? undefined);
				const old = former === undefined ? null : store.codec.encode(former, key);
				const now = after === GONE ? null : store.codec.encode(after, key);
				if (old === null ? now === null : now !== null && Buffer.compare(old, now) === 0) continue;
				yield { store, key, before: old, after: now };
			}
		}
	}

	/** Height of the base: blocks up to it can no longer be undone. */
	get finalizedNumber(): bigint {
		return this.settled;
	}

	/** Moves blocks up to a number into the base: they can no longer be undone. */
	settle(number: bigint): void {
		for (let block = this.blocks.oldest; block && block.number <= number; block = this.blocks.oldest) {
			this.finalizeOne(block);
		}
	}

	private finalizeOne(change: BlockChange): void {
		// Reverting what is pending leads to the base, where this block gave the value before.
		const pending =
			this.journal.length > 0
				? this.journal.leadBelow((index, key) => this.blocks.newestChange(index, key)?.block === change)
				: undefined;
		this.kept?.beginBlock(change.number);
		const changes = this.changes?.beginBlock(change.number) ? this.changes : undefined;
		this.blocks.finalizeOldest((index, key, after, isNewest) => {
			const store = storeAt(index);
			const value = after === GONE ? GONE : this.settleValue(this.baseBackend, store, after);
			if (changes && isRecorded(index)) changes.record(store, key, this.base.get(store, key) ?? GONE, value);
			this.base.set(store, key, value);
			if (isNewest && !pending?.[index]?.has(key)) this.headOf(index).delete(key);
		});
		this.settled = change.number;
		this.hash?.endBlock(change.number);
	}

	/**
	 * Follows the hash of the state after each block that moves into the base from now on; not for states that are edited
	 * outside of blocks.
	 */
	async followHash(options: FollowedHashOptions): Promise<FollowedHash> {
		this.hash = await FollowedHash.open(this.database, this.base, options);
		return this.hash;
	}

	/** undefined where it isn't followed */
	get followedHash(): FollowedHash | undefined {
		return this.hash;
	}

	/**
	 * Keeps what the base was before, so that the state can be edited and go back: for development chains.
	 * @param blocks how many final blocks {@link stateBefore} reaches behind
	 */
	keepHistory(blocks: number): StateHistory {
		this.kept = new StateHistory(this.historySubject(), blocks);
		return this.kept;
	}

	/**
	 * Keeps what each block changes that moves into the base from now on ({@link ChangeHistory}); not for states that are
	 * edited outside of blocks.
	 * @param number of the block whose state the base is
	 * @param keep how many blocks {@link stateAfter} reaches behind; undefined: all
	 */
	async keepChanges(number: bigint, keep: number | undefined): Promise<ChangeHistory> {
		const has = (store: StoreDefinition<unknown>, key: string): boolean =>
			this.base.get(store, key) !== undefined;
		this.changes = await ChangeHistory.open(this.database, number, has, keep);
		return this.changes;
	}

	/** What final blocks changed; undefined where that isn't kept. */
	get changeHistory(): ChangeHistory | undefined {
		return this.changes;
	}

	/** Edits and marks; undefined where none are kept. */
	get history(): StateHistory | undefined {
		return this.kept;
	}

	private historySubject(): HistorySubject {
		const state = this;
		return {
			base: this.base,
			blocks: this.blocks,
			journal: this.journal,
			head: this.headBackend,
			headKeys: this.headKeys,
			headBackend: this.headBackend,
			get finalizedNumber() {
				return state.settled;
			},
			set finalizedNumber(number) {
				state.settled = number;
			},
			settledValue: (store, value) => this.settleValue(this.baseBackend, store, value),
			undoBlock: () => this.undoBlock(),
			commitBlock: (number) => this.commitBlock(number),
		};
	}

	/** The state before a block, for readers; undefined if it is too long ago. It holds until the next change. */
	stateBefore(number: bigint): StateBackend | undefined {
		if (number <= this.settled) {
			const values = this.kept?.before(number);
			return values && beforeFinal(this.base, values, (store, prefix) => this.keysEver(store, prefix));
		}
		const { base, blocks, journal, headKeys } = this;
		return beforeUndoable({ base, blocks, journal, headKeys, head: this.headBackend }, number);
	}

	/**
	 * The state after a block, for readers, without what is pending; undefined where that isn't known: it is too long ago, or
	 * there is no such block yet. It holds until the next change of the state.
	 */
	stateAfter(number: bigint): StateBackend | undefined {
		const newest = this.blocks.all.at(-1)?.number ?? this.settled;
		if (number > newest || number < 0n) return undefined;
		if (number > this.settled) return this.stateBefore(number + 1n);
		if (this.changes) return this.stateInHistory(this.changes, number);
		return number === this.settled ? this.solidBackend : this.stateBefore(number + 1n);
	}

	/** The lowest block whose state {@link stateAfter} knows, as far as that can be told. */
	get lowestKnown(): bigint {
		return this.changes ? BigInt(this.changes.first) : this.settled;
	}

	private stateInHistory(changes: ChangeHistory, number: bigint): StateBackend | undefined {
		if (number < BigInt(changes.first)) return undefined;
		const view = this.views.get(number) ?? stateInHistory(changes, this.solidBackend, number);
		this.views.delete(number);
		this.views.set(number, view);
		for (const oldest of this.views.keys()) {
			if (this.views.size <= KEPT_VIEWS) break;
			this.views.delete(oldest);
		}
		return view;
	}

	/** Entries that a flush would write. */
	get pendingFlush(): number {
		return this.base.pendingFlush;
	}

	/** Whether a flush is under way. */
	get isFlushing(): boolean {
		return this.base.isFlushing;
	}

	/**
	 * Writes the base to the database in one atomic batch. Only one flush runs at a time.
	 * @param extra changes outside the stores, in the same batch
	 */
	async flush(sync: boolean, extra: readonly BatchChange[] = []): Promise<void> {
		const beside = [this.changes, this.hash].filter((one) => one !== undefined);
		if (beside.length === 0) return this.base.flush(sync, extra);
		if (this.base.isFlushing) throw new Error("a flush is already running");
		let isWritten = false;
		try {
			// All take what is to be written before anything else can change it.
			const begun = beside.map((one) => one.beginFlush());
			const more = Promise.all(begun).then((batches) => batches.flat());
			// Whoever fails first: the base looks at the others only later, and none may end after the flush.
			const ended = Promise.allSettled([...begun, more]);
			await this.base.flush(sync, extra, more).finally(() => ended);
			isWritten = true;
		} finally {
			for (const one of beside) one.endFlush(isWritten);
		}
	}

	/**
	 * The first key of a store in the head state at or after `from` and before `end`. For stores that never delete: it
	 * doesn't look whether a key that the database has was deleted since.
	 *
	 * PERF: grows with the changes that are not in the database yet.
	 */
	async firstKey(store: StoreDefinition<unknown>, from: string, end: string): Promise<string | undefined> {
		let least: string | undefined;
		const note = (key: string, value: Entry): void => {
			if (value !== GONE && key >= from && key < end && (least === undefined || key < least)) least = key;
		};
		for (const { key, value } of this.headOf(store.index).values()) note(key, value);
		for (const map of this.base.unwritten(store.index)) for (const [key, value] of map) note(key, value);
		return (await this.base.firstStoredKey(store, from, least ?? end)) ?? least;
	}

	/** Every entry of a store in the head state, encoded; for dumps and checks, not for rules. */
	async *dump(store: StoreDefinition<unknown>): AsyncGenerator<readonly [string, Uint8Array]> {
		const seen = new Set(this.headOf(store.index).keys());
		for (const map of this.base.unwritten(store.index)) for (const key of map.keys()) seen.add(key);
		for await (const key of this.base.storedKeys(store)) seen.add(key);
		for (const key of [...seen].sort()) {
			const value = this.get(store, key);
			if (value !== undefined) yield [key, store.codec.encode(value, key)] as const;
		}
	}
}
