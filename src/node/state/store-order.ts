/**
 * The order in which the network's node lists a store (sheet 04 §16.1): first the entries that are not settled yet, as
 * a hash map iterates them, then the settled ones by key.
 */

import type { Store } from "./store.js";

/** Hash of a key in the reference's maps, high bits mixed into the low ones. */
function spread(key: Uint8Array): number {
	let hash = 1;
	for (const byte of key) hash = (Math.imul(hash, 31) + ((byte << 24) >> 24)) | 0;
	return hash ^ (hash >>> 16);
}

/** Capacity of a hash map that grew to `count` entries: a power of two, doubled beyond three quarters. */
function capacityFor(count: number): number {
	let capacity = 16;
	while (count > capacity * 0.75) capacity *= 2;
	return capacity;
}

/**
 * The keys of an ordered store, as the network's node lists them.
 * @param store of the state that is asked
 * @param settled the same store in the settled state; the same one if that is asked
 */
export function keysInStoreOrder<V>(store: Store<V>, settled: Store<V>): Uint8Array[] {
	const keys = store.keys();
	if (store === settled) return keys;
	// Records are immutable: one that is the same object in both states was not written in between.
	const isFresh = (key: Uint8Array): boolean => store.get(key) !== settled.get(key);
	const fresh = keys.filter(isFresh);
	const deleted = settled.keys().filter((key) => !store.has(key)).length;
	const mask = capacityFor(fresh.length + deleted) - 1;
	const slots = fresh.map((key) => ({ key, slot: spread(key) & mask }));
	slots.sort((a, b) => a.slot - b.slot);
	return [...slots.map(({ key }) => key), ...keys.filter((key) => !isFresh(key))];
}

/** The values of an ordered store, as the network's node lists them. */
export function valuesInStoreOrder<V>(store: Store<V>, settled: Store<V>): V[] {
	return keysInStoreOrder(store, settled).map((key) => store.get(key) as V);
}
