/** Decoded values of the database by store and key, in two generations, and how well they serve. */

import { storeDefinitions } from "./definition.js";

const STORE_COUNT = storeDefinitions.length;

/** Values kept per store, in each of two generations. */
const ENTRIES = 20_000;

/** How often a store was asked for an entry, and how often the database had to answer. */
export interface CacheUse {
	readonly store: string;
	readonly reads: number;
	readonly misses: number;
}

const makeMaps = <V>(): Map<string, V>[] => Array.from({ length: STORE_COUNT }, () => new Map<string, V>());

/** What was asked for lately stays: an entry that is found in the old generation moves to the young one. */
export class ValueCache<V> {
	private readonly young: Map<string, V>[] = makeMaps();
	private readonly old: Map<string, V>[] = makeMaps();
	private readonly reads = new Float64Array(STORE_COUNT);
	private readonly misses = new Float64Array(STORE_COUNT);

	/**
	 * The cached value of an entry; undefined: the database must be asked.
	 * @param index of the store
	 */
	get(index: number, key: string): V | undefined {
		this.reads[index] = (this.reads[index] as number) + 1;
		const value = (this.young[index] as Map<string, V>).get(key);
		if (value !== undefined) return value;
		const aged = (this.old[index] as Map<string, V>).get(key);
		if (aged !== undefined) this.keep(index, key, aged);
		else this.misses[index] = (this.misses[index] as number) + 1;
		return aged;
	}

	/** Keeps what the database answered. */
	keep(index: number, key: string, value: V): void {
		const young = this.young[index] as Map<string, V>;
		if (young.size < ENTRIES) {
			young.set(key, value);
			return;
		}
		this.old[index] = young;
		this.young[index] = new Map([[key, value]]);
	}

	/** Puts a value that the database has just got in the place of an older one. */
	replace(index: number, key: string, value: V): void {
		(this.old[index] as Map<string, V>).delete(key);
		this.keep(index, key, value);
	}

	/** The use of each store; those that were never asked are left out. */
	get use(): readonly CacheUse[] {
		return storeDefinitions
			.map(({ name, index }) => ({
				store: name,
				reads: this.reads[index] ?? 0,
				misses: this.misses[index] ?? 0,
			}))
			.filter(({ reads }) => reads > 0);
	}
}
