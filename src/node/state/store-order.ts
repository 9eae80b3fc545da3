/**
 * The order in which the reference lists a store (protocol/tokens §9.1): unsettled entries first, in hash map
 * iteration order, then settled ones by key.
 */

import { fromKey, toKey } from "../../protocol/bytes.js";
import { arrayHash, hashOrder } from "../../protocol/hash-order.js";
import {
	FIRST_CAPACITY,
	MAX_LIST,
	MAX_UNTREED,
	SMALLEST_WITH_TREES,
	spread,
} from "../../protocol/hash-table.js";
import type { Store } from "./store.js";

interface Entry {
	readonly key: string;
	readonly hash: number;
}

interface Bucket {
	readonly entries: readonly Entry[];
	readonly isTree: boolean;
}

const NONE: Bucket = { entries: [], isTree: false };

/**
 * Keys in the iteration order of Java's concurrent hash map (java.util.concurrent.ConcurrentHashMap), which holds what one
 * block wrote. It grows at three quarters of its size and, while below 64, when a bucket of eight entries gets one more: then
 * until three quarters exceed three times its size plus one, as a power of two. From 64 on such a bucket becomes a tree,
 * which lists later entries before the rest. Growing splits each bucket: of a list, the trailing entries that stay together
 * keep their order and those before them are reversed; a tree keeps its order.
 */
export function concurrentOrder(keys: readonly string[]): string[] {
	let buckets: Bucket[] = new Array(FIRST_CAPACITY).fill(NONE);
	let count = 0;
	for (const key of keys) {
		const hash = spread(arrayHash(key));
		const index = hash & (buckets.length - 1);
		const { entries, isTree } = buckets[index] as Bucket;
		const entry = { key, hash };
		const becomesTree = entries.length >= MAX_LIST && buckets.length >= SMALLEST_WITH_TREES;
		buckets[index] = {
			entries: isTree ? [entry, ...entries] : [...entries, entry],
			isTree: isTree || becomesTree,
		};
		if (entries.length >= MAX_LIST && buckets.length < SMALLEST_WITH_TREES) {
			const wanted = capacityAbove(buckets.length * 3 + 1);
			while (wanted > buckets.length * 0.75) buckets = split(buckets);
		}
		count++;
		while (count >= buckets.length * 0.75) buckets = split(buckets);
	}
	return buckets.flatMap(({ entries }) => entries.map(({ key }) => key));
}

/** The smallest power of two not below a number. */
const capacityAbove = (size: number): number => 2 ** Math.ceil(Math.log2(size));

function split(buckets: readonly Bucket[]): Bucket[] {
	const bit = buckets.length;
	const low: Bucket[] = [];
	const high: Bucket[] = [];
	for (const bucket of buckets) {
		const entries = bucket.isTree ? bucket.entries : turned(bucket.entries, bit);
		const of = (wanted: boolean): Bucket => {
			const part = entries.filter(({ hash }) => ((hash & bit) !== 0) === wanted);
			return { entries: part, isTree: bucket.isTree && part.length > MAX_UNTREED };
		};
		low.push(of(false));
		high.push(of(true));
	}
	return [...low, ...high];
}

/** The order of a list's entries once it is split. */
function turned(entries: readonly Entry[], bit: number): Entry[] {
	const last = entries.at(-1);
	let tail = entries.length;
	while (last && tail > 0 && (((entries[tail - 1] as Entry).hash ^ last.hash) & bit) === 0) tail--;
	return [...entries.slice(0, tail).reverse(), ...entries.slice(tail)];
}

/**
 * The keys of an ordered store as the reference lists them: it adds the entries of each layer to a hash map,
 * in that layer's own order, followed by the settled ones.
 */
export function keysInStoreOrder<V>(store: Store<V>): Uint8Array[] {
	const written = new Set<string>();
	for (const layer of store.unsettledKeys()) {
		for (const key of concurrentOrder(layer.map(toKey))) written.add(key);
	}
	const keys = hashOrder([...written])
		.map(fromKey)
		.filter((key) => store.has(key));
	for (const key of store.keysFrom("")) if (!written.has(key)) keys.push(fromKey(key));
	return keys;
}

/** The values of an ordered store, as the reference lists them. */
export function valuesInStoreOrder<V>(store: Store<V>): V[] {
	return keysInStoreOrder(store).map((key) => store.get(key) as V);
}
