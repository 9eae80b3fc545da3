/** Types shared by the levels of the state: entries by store index and key. */

import { STORE_COUNT, type StoreDefinition, storeDefinitions } from "./definition.js";
import type { KnownProperties } from "./known-properties.js";
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

/** The sorted keys of ordered stores, by store index. */
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

	/** Records whether an entry exists. */
	note(index: number, key: string, isThere: boolean): void {
		const keys = this.orders[index] as OrderedKeys;
		if (isThere) keys.add(key);
		else keys.delete(key);
	}
}

/** Adds the keys with a prefix. */
export function addWith(found: Set<string>, keys: Iterable<string>, prefix: string): void {
	for (const key of keys) if (key.startsWith(prefix)) found.add(key);
}

// What a view of the state is built on: raw access by store definition and key string.

export interface StateBackend {
	get<V>(store: StoreDefinition<V>, key: string): V | undefined;
	/** The value in the base below. Absent if nothing lies above the base. */
	settled?<V>(store: StoreDefinition<V>, key: string): V | undefined;
	/** The cache of the newest properties. Absent if these aren't the newest, or if each read counts. */
	readonly knownProperties?: KnownProperties | undefined;
	put<V>(store: StoreDefinition<V>, key: string, value: V): void;
	delete<V>(store: StoreDefinition<V>, key: string): void;
	/** Keys of an ordered store, ascending. Must not be kept across a write. */
	keys<V>(store: StoreDefinition<V>): SortedKeys;
	/**
	 * All keys of a store with a prefix that exist or once existed, in any state known when it resolves; each
	 * must still be looked up in the state of interest. For queries only: no rule iterates an unordered store.
	 */
	keysEver(store: StoreDefinition<unknown>, prefix: string): Promise<ReadonlySet<string>>;
	/**
	 * Keys written by each block since the base, oldest first, and then by pending transactions; in order of
	 * first write, including deleted ones. Absent if nothing lies above the base.
	 */
	unsettledKeys?<V>(store: StoreDefinition<V>): readonly Iterable<string>[];
}
