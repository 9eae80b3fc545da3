/** What the levels of the state share: entries by store index and key. */

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

// What a view of the state stands on: raw access by store definition and key string.

export interface StateBackend {
	get<V>(store: StoreDefinition<V>, key: string): V | undefined;
	/** The value in the base below. Absent where nothing lies above the base. */
	settled?<V>(store: StoreDefinition<V>, key: string): V | undefined;
	/** What is known of the newest properties. Absent where they aren't the newest, or each read counts. */
	readonly knownProperties?: KnownProperties | undefined;
	put<V>(store: StoreDefinition<V>, key: string, value: V): void;
	delete<V>(store: StoreDefinition<V>, key: string): void;
	/** Keys of an ordered store, ascending. Must not be kept across a write. */
	keys<V>(store: StoreDefinition<V>): SortedKeys;
	/**
	 * Every key of a store with a prefix that an entry has or had, in any state that is known by the time of the answer: each has to
	 * be looked up in the state that is asked for. For queries: no rule walks a store that doesn't keep its keys in memory.
	 */
	keysEver(store: StoreDefinition<unknown>, prefix: string): Promise<ReadonlySet<string>>;
	/**
	 * Keys of the entries that each block since the base wrote, oldest block first, and of what is pending; in the order of
	 * their first write there, deleted ones too. Absent where nothing lies above the base.
	 */
	unsettledKeys?<V>(store: StoreDefinition<V>): readonly Iterable<string>[];
}
