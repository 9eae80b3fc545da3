/**
 * The order in which the network's node lists a store (protocol/tokens §9.1): first the entries that are not settled yet, as
 * a hash map iterates them, then the settled ones by key.
 */

import { fromKey, toKey } from "../../protocol/bytes.js";
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

interface Entry {
	readonly key: Uint8Array;
	readonly hash: number;
}

/**
 * Keys in the order of the runtime's concurrent hash map, which holds what one block wrote. When it grows, it splits
 * each bucket: the entries at its end that stay together keep their order, those before them are turned around.
 */
function concurrentOrder(keys: readonly Uint8Array[]): Uint8Array[] {
	let buckets: Entry[][] = Array.from({ length: 16 }, () => []);
	let count = 0;
	for (const key of keys) {
		const hash = spread(key);
		(buckets[hash & (buckets.length - 1)] as Entry[]).push({ key, hash });
		count++;
		while (count >= buckets.length * 0.75) buckets = split(buckets);
	}
	return buckets.flat().map(({ key }) => key);
}

function split(buckets: readonly Entry[][]): Entry[][] {
	const bit = buckets.length;
	const isHigh = ({ hash }: Entry): boolean => (hash & bit) !== 0;
	const low: Entry[][] = [];
	const high: Entry[][] = [];
	for (const bucket of buckets) {
		const last = bucket.at(-1);
		let tail = bucket.length;
		while (last && tail > 0 && isHigh(bucket[tail - 1] as Entry) === isHigh(last)) tail--;
		const turned = bucket.slice(0, tail).reverse();
		const kept = bucket.slice(tail);
		const of = (wanted: boolean): Entry[] => [...turned, ...kept].filter((entry) => isHigh(entry) === wanted);
		low.push(of(false));
		high.push(of(true));
	}
	return [...low, ...high];
}

/**
 * The keys of an ordered store, as the network's node lists them. It puts the entries of one layer after the other into
 * a hash map, each in the order of the layer's own; then come the settled ones.
 */
export function keysInStoreOrder<V>(store: Store<V>): Uint8Array[] {
	const written = new Map<string, Uint8Array>();
	for (const layer of store.unsettledKeys()) {
		for (const key of concurrentOrder(layer)) if (!written.has(toKey(key))) written.set(toKey(key), key);
	}
	const mask = capacityFor(written.size) - 1;
	const slots = [...written.values()].map((key) => ({ key, slot: spread(key) & mask }));
	slots.sort((a, b) => a.slot - b.slot);
	const keys = slots.map(({ key }) => key).filter((key) => store.has(key));
	for (const key of store.keysFrom("")) if (!written.has(key)) keys.push(fromKey(key));
	return keys;
}

/** The values of an ordered store, as the network's node lists them. */
export function valuesInStoreOrder<V>(store: Store<V>): V[] {
	return keysInStoreOrder(store).map((key) => store.get(key) as V);
}
