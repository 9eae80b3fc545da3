/** An ordered store's keys as of a block. */

import type { StoreDefinition } from "./definition.js";
import type { StateBackend } from "./entry.js";
import { byBytes, OrderedKeys, type SortedKeys } from "./ordered-keys.js";

/** The keys a store had, filtered from current and former keys: each is looked up when the iteration reaches it. */
export class KeysAtBlock implements SortedKeys {
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

	candidatesFrom(key: string): Iterable<string> {
		return merged(this.present.from(key), this.former.from(key), this.store.order ?? byBytes);
	}

	/** PERF: iterates all keys. */
	get size(): number {
		let size = 0;
		for (const _ of this) size++;
		return size;
	}

	/** PERF: iterates all keys. */
	copy(): OrderedKeys {
		return new OrderedKeys(this, this.store.order);
	}

	private *existing(present: Iterable<string>, former: Iterable<string>): Generator<string> {
		for (const key of merged(present, former, this.store.order ?? byBytes)) {
			if (this.get(this.store, key) !== undefined) yield key;
		}
	}
}

/** Merges two ascending lists; a key in both appears once. */
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
