/** Decoded values of the database by store and key, in two generations, and how well they serve. */

import { type CacheBudget, shareCacheBytes } from "./cache-budget.js";
import { STORE_COUNT, storeDefinitions } from "./definition.js";
import { makeMaps } from "./entry.js";

/** An entry of a map with its key and a small object. */
const ENTRY_BYTES = 200;
/** How much larger a message is than its encoding: fields that are absent take room, and numbers are objects. */
const DECODED_SHARE = 12;

/** How often a store was asked for an entry, how often the database had to answer, and what is kept of it. */
export interface CacheUse {
	readonly store: string;
	readonly reads: number;
	readonly misses: number;
	/** Values that are kept now. */
	readonly entries: number;
	/** How often a generation was full; from the second time on the caches keep as much as they ever will. */
	readonly turns: number;
}

/** Stores that share a part of the budget: what one asks for takes room from the others. */
interface Group {
	readonly stores: readonly number[];
	/** Of each generation. */
	readonly limit: number;
	/** Of the young generation. */
	bytes: number;
	turns: number;
}

/** What was asked for lately stays: an entry that is found in the old generation moves to the young one. */
export class ValueCache<V> {
	private readonly young: Map<string, V>[] = makeMaps();
	private readonly old: Map<string, V>[] = makeMaps();
	/** Bytes of each store's young generation; what came over from an old one counts as the old one's average. */
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
	 * The cached value of an entry; undefined: the database must be asked.
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

	/** Keeps what the database answered. @param bytes its encoded size */
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
		// In place of a value that was there: about as large.
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
				turns: this.groups[index]?.turns ?? 0,
			}))
			.filter(({ reads }) => reads > 0);
	}
}
