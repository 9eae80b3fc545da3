/**
 * A state that can be edited outside blocks and reverted: what development chains add to {@link
 * StateDatabase} (protocol/development-chain §§4.4, 4.6). The reference node has none.
 *
 * Contract: an edit is immediately visible in base and head, to all later reads of any state. A mark stays valid until
 * forgotten; returning to it restores both base and undoable blocks. All of these require that nothing is pending.
 */

import { BaseHistory, type FormerValues, type HistoryMark } from "./base-history.js";
import type { StoreDefinition } from "./definition.js";
import { type Entry, GONE, type StateBackend, storeAt } from "./entry.js";
import type { FormerSource } from "./former-state.js";
import type { BlockChange } from "./undoable-blocks.js";

/** What the history operates on. */
export interface HistorySubject extends FormerSource {
	readonly headBackend: StateBackend;
	finalizedNumber: bigint;
	/** Rewrites a value moving into the base. */
	settledValue<V>(store: StoreDefinition<V>, value: V): V;
	undoBlock(): void;
	commitBlock(number: bigint): BlockChange;
}

/** A block's effects as of a mark, excluding later edits. */
interface MarkedBlock {
	readonly number: bigint;
	/** Values after the block, by store index and key. */
	readonly values: readonly ReadonlyMap<string, Entry>[];
}

const markedBlock = ({ number, entries }: BlockChange): MarkedBlock => ({
	number,
	values: entries.map((changes) => new Map(changes.map(({ entry, after }) => [entry.key, after]))),
});

/** A point the state can return to. */
export interface StateMark {
	readonly base: HistoryMark;
	readonly blocks: readonly MarkedBlock[];
}

export class StateHistory {
	private readonly base: BaseHistory;

	/** @param keptBlocks how many final blocks {@link before} reaches behind */
	constructor(
		private readonly subject: HistorySubject,
		keptBlocks: number,
	) {
		this.base = new BaseHistory(keptBlocks, subject.finalizedNumber);
		subject.base.recorder = (store, key) =>
			this.base.record(store.index, key, subject.base.get(store, key) ?? GONE);
	}

	/** The state, editable outside blocks: both base and head show the edits. */
	readonly editBackend: StateBackend = {
		get: (store, key) => this.subject.headBackend.get(store, key),
		put: (store, key, value) => this.edit(store, key, value),
		delete: (store, key) => this.edit(store, key, GONE as never),
		keys: (store) => this.subject.headBackend.keys(store),
		keysEver: (store, prefix) => this.subject.headBackend.keysEver(store, prefix),
	};

	private edit<V>(store: StoreDefinition<V>, key: string, value: V): void {
		const { base, blocks, headKeys, journal } = this.subject;
		if (journal.length > 0) throw new Error("pending changes must be reverted before an edit");
		base.set(store, key, value === GONE ? GONE : this.subject.settledValue(store, value));
		// A block that isn't final yet also changed the entry: the edit is newer.
		const newest = blocks.newestChange(store.index, key);
		if (newest) {
			newest.after = value;
			newest.entry.value = value;
		}
		if (store.ordered) headKeys.note(store.index, key, value !== GONE);
	}

	/** Assigns the following base changes to a block. */
	beginBlock(number: bigint): void {
		this.base.beginBlock(number);
	}

	/** A point {@link returnTo} can return to. */
	mark(): StateMark {
		return {
			base: this.base.mark(this.subject.finalizedNumber),
			blocks: this.subject.blocks.all.map(markedBlock),
		};
	}

	/** Releases a mark. */
	forget({ base }: StateMark): void {
		this.base.forget(base);
	}

	/** Returns the state to a mark, which stays valid. */
	returnTo({ base, blocks }: StateMark): void {
		const { subject } = this;
		while (subject.blocks.count > 0) subject.undoBlock();
		for (const { index, key, before } of this.base.takeBack(base)) {
			const store = storeAt(index);
			subject.base.replace(store, key, before);
			if (store.ordered) subject.headKeys.note(index, key, before !== GONE);
		}
		subject.finalizedNumber = base.settled;
		for (const { number, values } of blocks) {
			values.forEach((map, index) => {
				for (const [key, value] of map) subject.headBackend.put(storeAt(index), key, value);
			});
			subject.commitBlock(number);
		}
	}

	/** Notes that the whole base was replaced by the state after a block. */
	restartAt(number: bigint): void {
		this.subject.finalizedNumber = number;
		this.base.clear(number);
	}

	/** Adds a store's keys with a prefix that changed in final blocks or by edits. */
	addKeysWith(keys: Set<string>, index: number, prefix: string): void {
		this.base.addKeysWith(keys, index, prefix);
	}

	/** The values before a final block of every entry changed since; undefined if it is too long ago. */
	before(number: bigint): FormerValues | undefined {
		return this.base.before(number);
	}
}
