/** The stored changes of one generation, looked up by entry and block (`history-format.ts`). */

import type { KeyValueDatabase } from "./database.js";
import type { StoreDefinition } from "./definition.js";
import type { Entry } from "./entry.js";
import {
	beforeKey,
	type ChangeIndex,
	decodeBefore,
	decodeIndex,
	decodeRow,
	firstAbove,
	fullKey,
	NEVER_CHANGED,
	newestKey,
} from "./history-format.js";
import { ValueCache } from "./value-cache.js";

/** Cache budget for the rows that list which blocks changed an entry, for all stores. */
const INDEX_CACHE = { decodedBytes: 4 << 20, historyBytes: 1 << 20 };

export class StoredChanges {
	private readonly indexes = new ValueCache<ChangeIndex>(new Set(), INDEX_CACHE);

	constructor(
		private readonly database: KeyValueDatabase,
		readonly generation: number,
	) {}

	/** An entry's value before a block that changed it. */
	before(store: StoreDefinition<unknown>, key: string, block: number): Entry {
		const bytes = this.database.get(beforeKey(this.generation, store.index, key, block));
		if (!bytes) throw new Error(`the history of ${store.name} lacks a value before block ${block}`);
		return decodeBefore(store, key, bytes);
	}

	/** The first block above a number that changed an entry. */
	change(index: number, key: string, number: number): number | undefined {
		const { blocks, fullRows } = this.indexOf(index, key);
		const newest = blocks[firstAbove(blocks, number)];
		if (fullRows === 0 || (blocks.length > 0 && (blocks[0] as number) <= number)) return newest;
		return this.changeInFullRows(index, key, number, fullRows) ?? newest;
	}

	/** PERF: a binary search over the rows. */
	private changeInFullRows(index: number, key: string, number: number, rows: number): number | undefined {
		let [low, high] = [0, rows];
		let found: number | undefined;
		while (low < high) {
			const middle = (low + high) >>> 1;
			const bytes = this.database.get(fullKey(this.generation, index, key, middle));
			// A missing row only had older blocks.
			const blocks = bytes ? decodeRow(bytes) : [];
			const change = blocks[firstAbove(blocks, number)];
			if (change === undefined) low = middle + 1;
			else {
				found = change;
				high = middle;
			}
		}
		return found;
	}

	private indexOf(index: number, key: string): ChangeIndex {
		const cached = this.indexes.get(index, key);
		if (cached) return cached;
		const bytes = this.database.get(newestKey(this.generation, index, key));
		const found = bytes ? decodeIndex(bytes) : NEVER_CHANGED;
		this.indexes.keep(index, key, found, sizeOf(found));
		return found;
	}

	/** The rows of several entries, read on other threads if that is faster. */
	async read(index: number, keys: readonly string[]): Promise<readonly ChangeIndex[]> {
		const missing = keys.filter((key) => !this.indexes.has(index, key));
		const rows = missing.map((key) => newestKey(this.generation, index, key));
		const values = (await this.database.getMany?.(rows)) ?? rows.map((row) => this.database.get(row));
		const read = new Map(
			missing.map((key, at) => {
				const bytes = values[at];
				return [key, bytes ? decodeIndex(bytes) : NEVER_CHANGED];
			}),
		);
		return keys.map((key) => read.get(key) ?? this.indexOf(index, key));
	}

	/** Updates the cache after an entry's row was rewritten. */
	replace(index: number, key: string, row: ChangeIndex): void {
		this.indexes.replace(index, key, row, sizeOf(row));
	}
}

const sizeOf = ({ blocks }: ChangeIndex): number => 32 + 8 * blocks.length;
