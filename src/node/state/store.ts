/** Typed access to one logical store of a view. */

import { fromKey, toKey } from "../../protocol/bytes.js";
import type { StateBackend } from "./backend.js";
import type { StoreDefinition } from "./definition.js";

/** One store of a view. Values must not be changed in place: put a changed copy. */
export class Store<V> {
	constructor(
		private readonly backend: StateBackend,
		private readonly definition: StoreDefinition<V>,
	) {}

	get(key: Uint8Array): V | undefined {
		return this.backend.get(this.definition, toKey(key));
	}

	/** The same for queries, of old blocks that lie outside of the database too. */
	find(key: Uint8Array): V | undefined {
		return this.get(key) ?? this.backend.older?.(this.definition, toKey(key));
	}

	has(key: Uint8Array): boolean {
		return this.backend.get(this.definition, toKey(key)) !== undefined;
	}

	put(key: Uint8Array, value: V): void {
		this.backend.put(this.definition, toKey(key), value);
	}

	delete(key: Uint8Array): void {
		this.backend.delete(this.definition, toKey(key));
	}

	/** Keys in ascending order; only for stores that keep their order in memory. A copy, safe across writes. */
	keys(): Uint8Array[] {
		return Array.from(this.backend.keys(this.definition), fromKey);
	}

	/** Keys that were written since the base, block by block, in the order of their first write, deleted ones too. */
	unsettledKeys(): Uint8Array[][] {
		return (this.backend.unsettledKeys?.(this.definition) ?? []).map((keys) => Array.from(keys, fromKey));
	}

	/** Values in ascending order of their keys; only for ordered stores. */
	values(): V[] {
		return Array.from(
			this.backend.keys(this.definition),
			(key) => this.backend.get(this.definition, key) as V,
		);
	}

	/** The key strings of an ordered store that are not below `key`, ascending; must not be kept across a write. */
	keysFrom(key: string): Iterable<string> {
		return this.backend.keys(this.definition).from(key);
	}
}
