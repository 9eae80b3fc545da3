/** Decoded values of the database by store and key, in two generations, and how well they serve. */

import { STORE_COUNT, storeDefinitions } from "./definition.js";

/** How much is kept for each store, in each of two generations. */
export interface CacheLimits {
	readonly entries: number;
	/** Their encoded size: blocks are so large that their number alone bounds nothing. */
	readonly bytes: number;
	/** The same of a store that only history is in: rules don't ask for it, and peers that catch up read each block once. */
	readonly historyBytes: number;
}

const CACHE_LIMITS: CacheLimits = { entries: 20_000, bytes: 8 << 20, historyBytes: 1 << 20 };

/** How often a store was asked for an entry, how often the database had to answer, and what is kept of it. */
export interface CacheUse {
	readonly store: string;
	readonly reads: number;
	readonly misses: number;
	/** Values that are kept now. */
	readonly entries: number;
	/** How often a generation was full; from the second time on the store keeps as much as it ever will. */
	readonly turns: number;
}

const makeMaps = <V>(): Map<string, V>[] => Array.from({ length: STORE_COUNT }, () => new Map<string, V>());

/** What was asked for lately stays: an entry that is found in the old generation moves to the young one. */
export class ValueCache<V> {
	private readonly young: Map<string, V>[] = makeMaps();
	private readonly old: Map<string, V>[] = makeMaps();
	/** Encoded bytes of each young generation; what came over from an old one counts as the old one's average. */
	private readonly youngBytes = new Float64Array(STORE_COUNT);
	private readonly averages = new Float64Array(STORE_COUNT);
	private readonly reads = new Float64Array(STORE_COUNT);
	private readonly misses = new Float64Array(STORE_COUNT);
	private readonly turns = new Float64Array(STORE_COUNT);

	/** @param history indexes of stores that only history is in */
	constructor(
		private readonly history: ReadonlySet<number> = new Set(),
		private readonly limits = CACHE_LIMITS,
	) {}

	/**
	 * The cached value of an entry; undefined: the database must be asked.
	 * @param index of the store
	 */
	get(index: number, key: string): V | undefined {
		this.reads[index] = (this.reads[index] as number) + 1;
		const value = (this.young[index] as Map<string, V>).get(key);
		if (value !== undefined) return value;
		const aged = (this.old[index] as Map<string, V>).get(key);
		if (aged !== undefined) this.keep(index, key, aged, this.averages[index] as number);
		else this.misses[index] = (this.misses[index] as number) + 1;
		return aged;
	}

	/** Whether a value is cached; not counted as a read. */
	has(index: number, key: string): boolean {
		return (this.young[index] as Map<string, V>).has(key) || (this.old[index] as Map<string, V>).has(key);
	}

	/** Whether a generation of a store was ever full. */
	hasTurned(index: number): boolean {
		return (this.turns[index] as number) > 0;
	}

	/** Keeps what the database answered. @param bytes its encoded size */
	keep(index: number, key: string, value: V, bytes: number): void {
		const young = this.young[index] as Map<string, V>;
		const total = (this.youngBytes[index] as number) + bytes;
		const { entries, bytes: most, historyBytes } = this.limits;
		if (young.size < entries && total <= (this.history.has(index) ? historyBytes : most)) {
			young.set(key, value);
			this.youngBytes[index] = total;
			return;
		}
		this.old[index] = young;
		this.turns[index] = (this.turns[index] as number) + 1;
		this.averages[index] = (this.youngBytes[index] as number) / Math.max(young.size, 1);
		this.young[index] = new Map([[key, value]]);
		this.youngBytes[index] = bytes;
	}

	/** Puts a value that the database has just got in the place of an older one. @param bytes its encoded size */
	replace(index: number, key: string, value: V, bytes: number): void {
		(this.old[index] as Map<string, V>).delete(key);
		this.keep(index, key, value, bytes);
	}

	/** Forgets a value: another one is in the database now. */
	drop(index: number, key: string): void {
		(this.young[index] as Map<string, V>).delete(key);
		(this.old[index] as Map<string, V>).delete(key);
	}

	/** The use of each store; those that were never asked are left out. */
	get use(): readonly CacheUse[] {
		return storeDefinitions
			.map(({ name, index }) => ({
				store: name,
				reads: this.reads[index] ?? 0,
				misses: this.misses[index] ?? 0,
				entries: (this.young[index]?.size ?? 0) + (this.old[index]?.size ?? 0),
				turns: this.turns[index] ?? 0,
			}))
			.filter(({ reads }) => reads > 0);
	}
}
