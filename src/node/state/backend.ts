/** What a view of the state stands on: raw access by store definition and key string. */

import type { StoreDefinition } from "./definition.js";
import type { KnownProperties } from "./known-properties.js";
import type { SortedKeys } from "./ordered-keys.js";

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
