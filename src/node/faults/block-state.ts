/**
 * The state for executing a block outside the chain: reads are recorded, writes stay in memory.
 *
 * Only used after a block was refused or found to differ; it is then executed once more here.
 */

import { MAX_DEPTH } from "../../protocol/codec/budget.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import type { StoreDefinition } from "../state/definition.js";
import {
	type Entry,
	type EntryMaps,
	GONE,
	makeMaps,
	readOnly,
	type StateBackend,
	storeAt,
} from "../state/entry.js";
import { OrderedKeys, type SortedKeys } from "../state/ordered-keys.js";
import type { PropertySeed } from "../state/property-table.js";
import { kindOf } from "../state/store-kinds.js";
import { createView, type StateView } from "../state/view.js";
import {
	BundleError,
	BundleTooLargeError,
	MAX_BUNDLE_ITEMS,
	MAX_DECODED_ITEMS,
	MAX_UNPACKED_BYTES,
	MAX_VALUE_ITEMS,
} from "./bundle.js";

/** An encoded value; null if there is no entry. */
export type EncodedValue = Uint8Array | null;

/** Recorded reads of a state. */
export interface StateReads {
	/** Values before the block, by store index and key. */
	readonly entries: EntryMaps<EncodedValue>;
	/** The same for the base state, which some rules read. */
	readonly settled: EntryMaps<EncodedValue>;
	/** All keys of iterated ordered stores, by store index. */
	readonly keys: Map<number, readonly string[]>;
	/** Keys written by blocks above the base, by store index: one list per block, in block order. */
	readonly unsettled: Map<number, readonly (readonly string[])[]>;
}

export const noReads = (): StateReads => ({
	entries: makeMaps<EncodedValue>(),
	settled: makeMaps<EncodedValue>(),
	keys: new Map(),
	unsettled: new Map(),
});

/** Overhead of an entry beyond key and value, in bytes. */
const ENTRY_BYTES = 32;

/** Wraps a state and records its reads. */
export class ReadRecorder implements StateBackend {
	readonly reads = noReads();
	private bytes = 0;
	private items = 0;

	constructor(private readonly below: StateBackend) {}

	get<V>(store: StoreDefinition<V>, key: string): V | undefined {
		return this.noted(this.reads.entries, store, key, this.below.get(store, key));
	}

	settled<V>(store: StoreDefinition<V>, key: string): V | undefined {
		const value = this.below.settled ? this.below.settled(store, key) : this.below.get(store, key);
		return this.noted(this.reads.settled, store, key, value);
	}

	keys<V>(store: StoreDefinition<V>): SortedKeys {
		const keys = this.below.keys(store);
		if (!this.reads.keys.has(store.index)) this.reads.keys.set(store.index, this.taken(keys));
		return keys;
	}

	put = readOnly;
	delete = readOnly;
	keysEver: StateBackend["keysEver"] = (store, prefix) => this.below.keysEver(store, prefix);

	private noted<V>(
		to: EntryMaps<EncodedValue>,
		store: StoreDefinition<V>,
		key: string,
		value: V | undefined,
	): V | undefined {
		const map = to[store.index] as Map<string, EncodedValue>;
		if (!map.has(key)) {
			const encoded = value === undefined ? null : store.codec.encode(value, key);
			this.take(ENTRY_BYTES + key.length + (encoded?.length ?? 0));
			map.set(key, encoded);
		}
		return value;
	}

	unsettledKeys<V>(store: StoreDefinition<V>): readonly Iterable<string>[] {
		const known = this.reads.unsettled.get(store.index);
		if (known) return known;
		const lists = (this.below.unsettledKeys?.(store) ?? []).map((layer) => this.taken(layer));
		this.reads.unsettled.set(store.index, lists);
		return lists;
	}

	private taken(keys: Iterable<string>): string[] {
		const list: string[] = [];
		for (const key of keys) {
			this.take(ENTRY_BYTES + key.length);
			list.push(key);
		}
		return list;
	}

	/** @throws {BundleTooLargeError} */
	private take(bytes: number): void {
		this.bytes += bytes;
		this.items++;
		// The file holds bytes as hex.
		if (this.items > MAX_BUNDLE_ITEMS / 2 || this.bytes > MAX_UNPACKED_BYTES / 4)
			throw new BundleTooLargeError();
	}
}

/** A rule read an entry that was not recorded. */
export class UnrecordedEntryError extends Error {
	override readonly name = "UnrecordedEntryError";

	constructor(
		readonly store: string,
		readonly key: string,
	) {
		super(`the bundle has no entry ${Buffer.from(key, "latin1").toString("hex")} of ${store}`);
	}
}

/** A state backed by recorded reads. */
export class StoredReads implements StateBackend {
	private readonly decoded: EntryMaps = makeMaps();
	private readonly orders = new Map<number, OrderedKeys>();
	/** Bound on embedded messages and list elements of decoded values. */
	private items = 0;
	/** The first missing entry that was read. Kept because a rule may catch the error. */
	missing: UnrecordedEntryError | undefined;

	constructor(private readonly reads: StateReads) {}

	get<V>(store: StoreDefinition<V>, key: string): V | undefined {
		const known = this.decoded[store.index]?.get(key);
		if (known !== undefined) return known as V;
		const bytes = this.found(store, this.reads.entries[store.index]?.get(key), key);
		const value = this.decodedOf(store, key, bytes);
		if (value !== undefined) this.decoded[store.index]?.set(key, value);
		return value;
	}

	keys<V>(store: StoreDefinition<V>): SortedKeys {
		const known = this.orders.get(store.index);
		if (known) return known;
		const keys = new OrderedKeys(this.found(store, this.reads.keys.get(store.index), ""), store.order);
		this.orders.set(store.index, keys);
		return keys;
	}

	settled<V>(store: StoreDefinition<V>, key: string): V | undefined {
		return this.decodedOf(store, key, this.found(store, this.reads.settled[store.index]?.get(key), key));
	}

	/** Empty if no block was above the base. */
	unsettledKeys<V>({ index }: StoreDefinition<V>): readonly Iterable<string>[] {
		return this.reads.unsettled.get(index) ?? [];
	}

	put = readOnly;
	delete = readOnly;
	keysEver = readOnly;

	/** @throws {UnrecordedEntryError} */
	private found<T>({ name }: { readonly name: string }, value: T | undefined, key: string): T {
		if (value !== undefined) return value;
		const error = new UnrecordedEntryError(name, key);
		this.missing ??= error;
		throw error;
	}

	/** @throws {BundleError} */
	private decodedOf<V>(store: StoreDefinition<V>, key: string, bytes: EncodedValue): V | undefined {
		if (bytes === null) return undefined;
		const items = Math.min(Math.ceil(bytes.length / 2), MAX_VALUE_ITEMS);
		if (store.isMessage) this.items += items;
		if (this.items > MAX_DECODED_ITEMS) throw new BundleError("the fault bundle has too much to be decoded");
		try {
			return store.codec.decode(bytes, key, { bytes: bytes.length, items, depth: MAX_DEPTH });
		} catch (error) {
			if (!(error instanceof DecodeError || error instanceof RangeError)) throw error;
			throw new BundleError(`an entry of ${store.name} can't be decoded`);
		}
	}
}

/** An entry that a block changed. */
export interface WrittenEntry {
	readonly store: string;
	readonly key: string;
	readonly value: EncodedValue;
}

/** A state plus the writes of one block. */
export class BlockState implements StateBackend {
	private readonly writes: EntryMaps = makeMaps();
	private readonly orders = new Map<number, OrderedKeys>();
	readonly view: StateView;

	constructor(
		private readonly below: StateBackend,
		seed: PropertySeed,
	) {
		this.view = createView(this, seed);
	}

	get<V>(store: StoreDefinition<V>, key: string): V | undefined {
		const written = this.writes[store.index]?.get(key);
		if (written !== undefined) return written === GONE ? undefined : (written as V);
		return this.below.get(store, key);
	}

	settled<V>(store: StoreDefinition<V>, key: string): V | undefined {
		return this.below.settled ? this.below.settled(store, key) : this.below.get(store, key);
	}

	put<V>(store: StoreDefinition<V>, key: string, value: V): void {
		this.writes[store.index]?.set(key, value as Entry);
		if (!store.ordered) return;
		const order = this.orders.get(store.index) ?? this.below.keys(store).copy();
		this.orders.set(store.index, order);
		if ((value as Entry) === GONE) order.delete(key);
		else order.add(key);
	}

	delete<V>(store: StoreDefinition<V>, key: string): void {
		this.put(store, key, GONE as never);
	}

	keys<V>(store: StoreDefinition<V>): SortedKeys {
		return this.orders.get(store.index) ?? this.below.keys(store);
	}

	keysEver: StateBackend["keysEver"] = readOnly;

	unsettledKeys<V>(store: StoreDefinition<V>): readonly Iterable<string>[] {
		return [...(this.below.unsettledKeys?.(store) ?? []), this.writes[store.index]?.keys() ?? []];
	}

	/** The block's state changes, without entries that only describe the block. */
	written(): WrittenEntry[] {
		return this.writes.flatMap((map, index) => {
			const store = storeAt(index);
			if (kindOf(store.name) !== "state") return [];
			return [...map].map(([key, value]) => ({
				store: store.name,
				key,
				value: value === GONE ? null : store.codec.encode(value, key),
			}));
		});
	}
}
