/** What the levels of the state share: entries by store index and key. */

import { STORE_COUNT, type StoreDefinition, storeDefinitions } from "./definition.js";
import type { OrderedKeys, SortedKeys } from "./ordered-keys.js";

/** A deleted entry. */
export const GONE = null;

/** A value as its store's codec decodes it, or {@link GONE}. Values are immutable: a changed record is a new object. */
export type Entry = unknown | typeof GONE;

/** Entries by store index and key. */
export type EntryMaps<V = Entry> = Map<string, V>[];

export const makeMaps = <V = Entry>(): EntryMaps<V> =>
	Array.from({ length: STORE_COUNT }, () => new Map<string, V>());

export function storeAt(index: number): StoreDefinition<unknown> {
	return storeDefinitions[index] as StoreDefinition<unknown>;
}

export function readOnly(): never {
	throw new Error("this view of the state can't be written");
}

/** The keys of the stores that rules walk in order, by store index. */
export class KeyOrders {
	private readonly orders: (OrderedKeys | undefined)[] = [];

	set(index: number, keys: OrderedKeys): void {
		this.orders[index] = keys;
	}

	/** @throws {Error} for a store that keeps no order */
	of(store: { readonly index: number; readonly name: string }): SortedKeys {
		const keys = this.orders[store.index];
		if (!keys) throw new Error(`store ${store.name} keeps no key order`);
		return keys;
	}

	/** Notes whether an entry is there. */
	note(index: number, key: string, isThere: boolean): void {
		const keys = this.orders[index] as OrderedKeys;
		if (isThere) keys.add(key);
		else keys.delete(key);
	}
}

/** Adds the keys that have a prefix. */
export function addWith(found: Set<string>, keys: Iterable<string>, prefix: string): void {
	for (const key of keys) if (key.startsWith(prefix)) found.add(key);
}
