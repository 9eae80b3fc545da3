/** Two-generation cache of decoded database values by store and key, with usage statistics. */

import { type CacheBudget, shareCacheBytes } from "./cache-budget.js";
import { STORE_COUNT, storeDefinitions } from "./definition.js";
import { makeMaps } from "./entry.js";

/** Overhead of a map entry with its key and a small object, in bytes. */
const ENTRY_BYTES = 200;
/** Size ratio of a message to its encoding: absent fields take room, and numbers are objects. */
const DECODED_SHARE = 12;

/** Reads and misses of a store, and what is cached of it. */
export interface CacheUse {
	readonly store: string;
	readonly reads: number;
	readonly misses: number;
	/** Number of cached values. */
	readonly entries: number;
	/** How often a generation filled up; from the second time on, the caches have reached full size. */
	readonly turns: number;
}

/** Stores that share part of the budget and evict each other. */
interface Group {
	readonly stores: readonly number[];
	/** Byte limit of each generation. */
	readonly limit: number;
	/** Bytes of the young generation. */
	bytes: number;
	turns: number;
}

/** Keeps recently used values: a hit in the old generation moves the entry to the young one. */
export class ValueCache<V> {
	private readonly young: Map<string, V>[] = makeMaps();
	private readonly old: Map<string, V>[] = makeMaps();
	/** Bytes of each store's young generation; entries promoted from the old one count as its average. */
	private readonly youngBytes = new Float64Array(STORE_COUNT);
	private readonly averages = new Float64Array(STORE_COUNT);
	private readonly reads = new Float64Array(STORE_COUNT);
	private readonly misses = new Float64Array(STORE_COUNT);
	/** By store. */
	private readonly groups: readonly Group[];

	/** @param history indexes of stores that only history is in */
	constructor(
		history: ReadonlySet<number> = new Set(),
		{ decodedBytes, historyBytes }: Pick<CacheBudget, "decodedBytes" | "historyBytes"> = shareCacheBytes(),
	) {
		const group = (isHistory: boolean, bytes: number): Group => ({
			stores: storeDefinitions.map(({ index }) => index).filter((index) => history.has(index) === isHistory),
			limit: bytes / 2,
			bytes: 0,
			turns: 0,
		});
		const [rules, old] = [group(false, decodedBytes), group(true, historyBytes)];
		this.groups = storeDefinitions.map(({ index }) => (history.has(index) ? old : rules));
	}

	/**
	 * The cached value of an entry; undefined: ask the database.
	 * @param index of the store
	 */
	get(index: number, key: string): V | undefined {
		this.reads[index] = (this.reads[index] as number) + 1;
		const value = (this.young[index] as Map<string, V>).get(key);
		if (value !== undefined) return value;
		const aged = (this.old[index] as Map<string, V>).get(key);
		if (aged !== undefined) this.add(index, key, aged, this.averages[index] as number);
		else this.misses[index] = (this.misses[index] as number) + 1;
		return aged;
	}

	/** Whether a value is cached; not counted as a read. */
	has(index: number, key: string): boolean {
		return (this.young[index] as Map<string, V>).has(key) || (this.old[index] as Map<string, V>).has(key);
	}

	/** Caches the database's answer. @param bytes its encoded size */
	keep(index: number, key: string, value: V, bytes: number): void {
		const isMessage = storeDefinitions[index]?.isMessage === true;
		this.add(index, key, value, ENTRY_BYTES + (isMessage ? DECODED_SHARE * bytes : bytes));
	}

	private add(index: number, key: string, value: V, bytes: number): void {
		const group = this.groups[index] as Group;
		if (group.bytes > 0 && group.bytes + bytes > group.limit) this.turn(group);
		const young = this.young[index] as Map<string, V>;
		const { size } = young;
		young.set(key, value);
		// It replaced an existing value, of about the same size.
		if (young.size === size) return;
		this.youngBytes[index] = (this.youngBytes[index] as number) + bytes;
		group.bytes += bytes;
	}

	/** The young generation becomes the old one. */
	private turn(group: Group): void {
		for (const index of group.stores) {
			const young = this.young[index] as Map<string, V>;
			this.averages[index] = (this.youngBytes[index] as number) / Math.max(young.size, 1);
			this.old[index] = young;
			this.young[index] = new Map();
			this.youngBytes[index] = 0;
		}
		group.bytes = 0;
		group.turns++;
	}

	/** Puts a value in the place of an older one, which the old generation may still have: it is never asked before the young one. @param bytes its encoded size */
	replace(index: number, key: string, value: V, bytes: number): void {
		this.keep(index, key, value, bytes);
	}

	/** Drops a value that changed in the database. */
	drop(index: number, key: string): void {
		(this.young[index] as Map<string, V>).delete(key);
		(this.old[index] as Map<string, V>).delete(key);
	}

	/** Usage per store; those never read are left out. */
	get use(): readonly CacheUse[] {
		return storeDefinitions
			.map(({ name, index }) => ({
				store: name,
				reads: this.reads[index] ?? 0,
				misses: this.misses[index] ?? 0,
				entries: (this.young[index]?.size ?? 0) + (this.old[index]?.size ?? 0),
				turns: this.groups[index]?.turns ?? 0,
			}))
			.filter(({ reads }) => reads > 0);
	}
}
