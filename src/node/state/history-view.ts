/**
 * The state after a final block, read from the history of changes and the base.
 *
 * Contract: what it answers is right for good, however the chain goes on, as long as the history reaches back to the block.
 */

import type { StateBackend } from "./backend.js";
import type { ChangeHistory } from "./change-history.js";
import type { StoreDefinition } from "./definition.js";
import { type Entry, GONE, readOnly } from "./entry.js";
import { formerByItself, isRecorded } from "./history-stores.js";
import { byBytes, OrderedKeys, type SortedKeys } from "./ordered-keys.js";
import { ValueCache } from "./value-cache.js";

/** What is kept of each store for one block: a few calls' worth. */
const CACHE = { decodedBytes: 1 << 19, historyBytes: 1 << 18 };
/** What a value counts for: most are the base's too, and take no memory of their own. */
const COUNTED_BYTES = 128;

/** @param base as it is now, at or above the block */
export function stateInHistory(
	history: ChangeHistory,
	base: Pick<StateBackend, "get" | "keys" | "older">,
	number: bigint,
): StateBackend {
	const cache = new ValueCache<Entry>(new Set(), CACHE);
	const block = Number(number);
	const find = <V>(store: StoreDefinition<V>, key: string): V | undefined => {
		if (!isRecorded(store.index)) {
			return formerByItself((other, otherKey) => base.get(other, otherKey), store, key, number);
		}
		const former = history.valueAfter(store, key, block);
		if (former === undefined) return base.get(store, key);
		return former === GONE ? undefined : (former as V);
	};
	const get = <V>(store: StoreDefinition<V>, key: string): V | undefined => {
		const cached = cache.get(store.index, key);
		if (cached !== undefined) return cached === GONE ? undefined : (cached as V);
		const value = find(store, key);
		const bytes = value instanceof Uint8Array ? value.length : COUNTED_BYTES;
		cache.keep(store.index, key, value === undefined ? GONE : value, bytes);
		return value;
	};
	return {
		get,
		put: readOnly,
		delete: readOnly,
		older: (store, key) => base.older?.(store, key),
		keys: (store) => new KeysAtBlock(base.keys(store), history.formerKeys.of(store), store, get),
	};
}

/** The keys that a store had, found among those it has and those it had: each is looked up when the walk comes to it. */
class KeysAtBlock implements SortedKeys {
	constructor(
		private readonly present: SortedKeys,
		private readonly former: SortedKeys,
		private readonly store: StoreDefinition<unknown>,
		private readonly get: StateBackend["get"],
	) {}

	[Symbol.iterator](): Iterator<string> {
		return this.existing(this.present, this.former)[Symbol.iterator]();
	}

	from(key: string): Iterable<string> {
		return this.existing(this.present.from(key), this.former.from(key));
	}

	/** PERF: walks all keys. */
	get size(): number {
		let size = 0;
		for (const _ of this) size++;
		return size;
	}

	/** PERF: walks all keys. */
	copy(): OrderedKeys {
		return new OrderedKeys(this, this.store.order);
	}

	private *existing(present: Iterable<string>, former: Iterable<string>): Generator<string> {
		for (const key of merged(present, former, this.store.order ?? byBytes)) {
			if (this.get(this.store, key) !== undefined) yield key;
		}
	}
}

/** Two ascending lists as one; a key of both once. */
function* merged(
	one: Iterable<string>,
	other: Iterable<string>,
	order: (a: string, b: string) => number,
): Generator<string> {
	const [left, right] = [one[Symbol.iterator](), other[Symbol.iterator]()];
	let [a, b] = [left.next(), right.next()];
	while (!a.done || !b.done) {
		const difference = a.done ? 1 : b.done ? -1 : order(a.value, b.value);
		yield (difference <= 0 ? a.value : b.value) as string;
		if (difference <= 0) a = left.next();
		if (difference >= 0) b = right.next();
	}
}
