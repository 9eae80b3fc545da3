/**
 * The chain state at three levels, read from the top:
 *
 * - **head**: changes by the blocks since the base, the mempool and the running transaction, as one map. A journal
 * (`journal.ts`) undoes the writes since the last block; `undoable-blocks.ts` holds what each block changed.
 * - **base** (`base-state.ts`): the state after the newest irreversible block; what the solidity API reads.
 * Changes collect in memory and are written to the database in one atomic batch.
 * - **database** (`database.ts`): LevelDB, with a cache of decoded values in front.
 *
 * This file connects them: reads go down, settled blocks move down. Values are immutable: a changed record is a new object.
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

/** One entry changed by a block, encoded. */
interface EntryChange {
	readonly store: StoreDefinition<unknown>;
	readonly key: string;
	readonly before: Uint8Array | null;
	readonly after: Uint8Array | null;
}

/** Rewrites a value moving into the base: applies the layout rules that the reference applies on flushing. */
export type SettleValue = <V>(base: StateBackend, store: StoreDefinition<V>, value: V) => V;

/** Number of past states whose decoded entries are cached. */
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
	/** What final blocks changed; undefined if not kept. */
	private changes: ChangeHistory | undefined;
	private hash: FollowedHash | undefined;
	/** Views of past states by block, most recently used last. */
	private readonly views = new Map<bigint, StateBackend>();

	private constructor(
		private readonly database: KeyValueDatabase,
		private readonly settleValue: SettleValue,
	) {}

	/**
	 * Opens the state on a database and loads the keys of ordered stores.
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

	/** The newest state, including pending transactions. */
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

	/** The base, read-only: what the solidity API serves (protocol/http §5.1). */
	readonly solidBackend: StateBackend = {
		get: (store, key) => this.base.get(store, key),
		put: readOnly,
		delete: readOnly,
		keys: (store) => this.base.keyOrders.of(store),
		keysEver: (store, prefix) => this.keysEver(store, prefix),
	};

	/** The state after the newest irreversible block. Writes go straight to it: only for genesis. */
	readonly baseBackend: StateBackend = {
		get: (store, key) => this.base.get(store, key),
		put: (store, key, value) => this.basePut(store, key, value),
		delete: readOnly,
		keys: (store) => this.base.keyOrders.of(store),
		keysEver: (store, prefix) => this.keysEver(store, prefix),
	};

	/** PERF: linear in the changes not yet in the database. */
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
		// Replacing a value doesn't change the set of keys.
		const isKnown = before !== NONE && before !== GONE && value !== GONE;
		if (store.ordered && !isKnown) this.headKeys.note(store.index, key, value !== GONE);
	}

	private basePut<V>(store: StoreDefinition<V>, key: string, value: V): void {
		this.base.set(store, key, this.settleValue(this.baseBackend, store, value));
		if (store.ordered) this.headKeys.note(store.index, key, true);
	}

	/** PERF: linear in the pending changes. */
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

	/** Cache statistics per store; stores never read are left out. */
	get cacheUse(): readonly CacheUse[] {
		return this.base.cacheUse;
	}

	/** Reads entries into the cache on other threads ({@link BaseState.readAhead}). */
	readAhead(wanted: readonly WantedEntry[]): Promise<number> {
		return this.base.readAhead(wanted.filter(({ store, key }) => !this.entries[store.index]?.has(key)));
	}

	/** The database files by level; empty for an in-memory chain. */
	get diskLevels(): readonly DatabaseLevel[] {
		return this.base.diskLevels;
	}

	/** A point {@link revert} can return to. */
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

	/** Turns all writes since the last block into an undoable block change. */
	commitBlock(number: bigint): BlockChange {
		const change = this.blocks.add(number, this.journal);
		this.journal.clear();
		return change;
	}

	/** Number of blocks that can be undone. */
	get undoable(): number {
		return this.blocks.count;
	}

	/** Undoes the newest block. Nothing may be pending. */
	undoBlock(): void {
		if (this.journal.length > 0) throw new Error("pending changes must be reverted before a block");
		this.blocks.undo(this.restore);
	}

	/** The encoded values of the entries a block changed. Valid until the block moves into the base. */
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

	/** Height of the base: blocks up to it are irreversible. */
	get finalizedNumber(): bigint {
		return this.settled;
	}

	/** Moves blocks up to a number into the base, making them irreversible. */
	settle(number: bigint): void {
		for (let block = this.blocks.oldest; block && block.number <= number; block = this.blocks.oldest) {
			this.finalizeOne(block);
		}
	}

	private finalizeOne(change: BlockChange): void {
		// Reverting pending changes now leads to the base, where this block's value was the before-image.
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

	/** Maintains the state hash for each block that moves into the base from now on; not for states edited outside blocks. */
	async followHash(options: FollowedHashOptions): Promise<FollowedHash> {
		this.hash = await FollowedHash.open(this.database, this.base, options);
		return this.hash;
	}

	/** undefined if it isn't maintained */
	get followedHash(): FollowedHash | undefined {
		return this.hash;
	}

	/**
	 * Keeps before-images of the base, so that the state can be edited and reverted: development chains only.
	 * @param blocks how many final blocks {@link stateBefore} reaches behind
	 */
	keepHistory(blocks: number): StateHistory {
		this.kept = new StateHistory(this.historySubject(), blocks);
		return this.kept;
	}

	/**
	 * Keeps the changes of each block that moves into the base from now on ({@link ChangeHistory}); not for
	 * states edited outside blocks.
	 * @param number of the block whose state the base is
	 * @param keep how many blocks {@link stateAfter} reaches behind; undefined: all
	 */
	async keepChanges(number: bigint, keep: number | undefined): Promise<ChangeHistory> {
		const has = (store: StoreDefinition<unknown>, key: string): boolean =>
			this.base.get(store, key) !== undefined;
		this.changes = await ChangeHistory.open(this.database, number, has, keep);
		return this.changes;
	}

	/** What final blocks changed; undefined if not kept. */
	get changeHistory(): ChangeHistory | undefined {
		return this.changes;
	}

	/** Edits and marks; undefined if not kept. */
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

	/** The state before a block, read-only; undefined if too long ago. Valid until the next change. */
	stateBefore(number: bigint): StateBackend | undefined {
		if (number <= this.settled) {
			const values = this.kept?.before(number);
			return values && beforeFinal(this.base, values, (store, prefix) => this.keysEver(store, prefix));
		}
		const { base, blocks, journal, headKeys } = this;
		return beforeUndoable({ base, blocks, journal, headKeys, head: this.headBackend }, number);
	}

	/**
	 * The state after a block, read-only and without pending changes; undefined if it is too long ago or the
	 * block doesn't exist yet. Valid until the next state change.
	 */
	stateAfter(number: bigint): StateBackend | undefined {
		const newest = this.blocks.all.at(-1)?.number ?? this.settled;
		if (number > newest || number < 0n) return undefined;
		if (number > this.settled) return this.stateBefore(number + 1n);
		if (this.changes) return this.stateInHistory(this.changes, number);
		return number === this.settled ? this.solidBackend : this.stateBefore(number + 1n);
	}

	/** The lowest block whose state {@link stateAfter} provides, as far as known. */
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

	/** Number of entries a flush would write. */
	get pendingFlush(): number {
		return this.base.pendingFlush;
	}

	/** Whether a flush is in progress. */
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
			// All take what they will write before anything else can change it.
			const begun = beside.map((one) => one.beginFlush());
			const more = Promise.all(begun).then((batches) => batches.flat());
			// Whichever fails first: the base only looks at the others later, and none may outlive the flush.
			const ended = Promise.allSettled([...begun, more]);
			await this.base.flush(sync, extra, more).finally(() => ended);
			isWritten = true;
		} finally {
			for (const one of beside) one.endFlush(isWritten);
		}
	}

	/**
	 * The first key of a store in the head state at or after `from` and before `end`. Only for stores that
	 * never delete: it doesn't check whether a database key was deleted since.
	 *
	 * PERF: linear in the changes not yet in the database.
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
