/**
 * The state before a block, read-only.
 *
 * Contract: valid until the next state change. The first few reads search the changes since for each entry;
 * further reads collect all changes once.
 */

import { type FormerValues, setFormer } from "./base-history.js";
import type { BaseState } from "./base-state.js";
import type { StoreDefinition } from "./definition.js";
import { GONE, type KeyOrders, readOnly, type StateBackend } from "./entry.js";
import { type Journal, NONE } from "./journal.js";
import { KeysAtBlock } from "./keys-at-block.js";
import { OrderedKeys } from "./ordered-keys.js";
import type { UndoableBlocks } from "./undoable-blocks.js";

/** Up to this many reads, searching per entry beats collecting all changes since. */
const FEW_READS = 24;

/** The levels a former state is read from. */
export interface FormerSource {
	readonly base: BaseState;
	readonly blocks: UndoableBlocks;
	/** Pending changes. */
	readonly journal: Journal;
	/** The head: its values, and its ordered stores' keys. */
	readonly head: Pick<StateBackend, "get" | "keysEver">;
	readonly headKeys: KeyOrders;
}

/** Source of the values that differ from the current ones. */
interface Former {
	/** The current values. */
	readonly now: Pick<StateBackend, "get">;
	readonly nowKeys: KeyOrders;
	readonly keysEver: StateBackend["keysEver"];
	/** A differing value: {@link NONE} if the base has it; undefined if it doesn't differ. */
	one(index: number, key: string): unknown;
	all(): FormerValues;
}

/** The state before a block above the base. */
export function beforeUndoable(source: FormerSource, number: bigint): StateBackend {
	return reader(source.base, {
		now: source.head,
		nowKeys: source.headKeys,
		keysEver: (store, prefix) => source.head.keysEver(store, prefix),
		one: (index, key) => valueBefore(source, number, index, key),
		all: () => valuesBefore(source, number),
	});
}

/** The state before a block of the base. @param values of all entries that changed since */
export function beforeFinal(
	base: BaseState,
	values: FormerValues,
	keysEver: StateBackend["keysEver"],
): StateBackend {
	return reader(base, {
		now: base,
		nowKeys: base.keyOrders,
		keysEver,
		one: (index, key) => values.get(index)?.get(key),
		all: () => values,
	});
}

function reader(base: BaseState, { now, nowKeys, keysEver, one, all }: Former): StateBackend {
	let gathered: FormerValues | undefined;
	let reads = 0;
	const everything = (): FormerValues => {
		gathered ??= all();
		return gathered;
	};
	const formerOf = (index: number, key: string): unknown =>
		gathered || ++reads > FEW_READS ? everything().get(index)?.get(key) : one(index, key);
	const get = <V>(store: StoreDefinition<V>, key: string): V | undefined => {
		const former = formerOf(store.index, key);
		if (former === NONE) return base.get(store, key);
		if (former !== undefined) return former === GONE ? undefined : (former as V);
		return now.get(store, key);
	};
	return {
		get,
		put: readOnly,
		delete: readOnly,
		keysEver,
		keys: (store) => {
			const changed = everything().get(store.index);
			const present = nowKeys.of(store);
			return changed
				? new KeysAtBlock(present, new OrderedKeys(changed.keys(), store.order), store, get)
				: present;
		},
	};
}

/** The {@link valuesBefore} result for one entry. PERF: linear in blocks and pending changes. */
function valueBefore({ blocks, journal }: FormerSource, number: bigint, index: number, key: string): unknown {
	const change = blocks.firstChange(index, key, number);
	return change ? change.before : journal.first(index, key);
}

function valuesBefore({ blocks, journal }: FormerSource, number: bigint): FormerValues {
	const values = new Map<number, Map<string, unknown>>();
	const written = new Set<string>();
	journal.each((index, key, before) => {
		const id = `${index}:${key}`;
		if (written.has(id)) return;
		written.add(id);
		setFormer(values, index, key, before);
	});
	for (const change of [...blocks.all].reverse()) {
		if (change.number < number) break;
		change.entries.forEach((changes, index) => {
			for (const { entry, before } of changes) setFormer(values, index, entry.key, before);
		});
	}
	return values;
}
