/** In-memory rows of blocks that the store lacks: those that can be reverted, and those to be written. */

import { type HistoryRow, isSetKind, ROW_KINDS, type RowKind } from "./rows.js";

/** Blocks missing in the store that a start indexes at once; beyond this they are left to the backfill. */
export const MAX_READ_AT_START = 1_000;
/** Above this, rows of final blocks are written, or dropped where they can be read again. */
export const MAX_RECENT_ROWS = 400_000;

interface RecentBlock {
	readonly height: number;
	/** Block id, hexadecimal. */
	readonly id: string;
	readonly rows: readonly HistoryRow[];
}

export class RecentRows {
	/** Ascending by height, without gaps. */
	private blocks: RecentBlock[] = [];
	/** Rows by list in insertion order, which is suffix order except for sets. */
	private readonly lists = new Map<string, HistoryRow[]>();
	private count = 0;

	/** Number of rows. */
	get size(): number {
		return this.count;
	}

	/** Height of the lowest block. */
	get first(): number | undefined {
		return this.blocks[0]?.height;
	}

	/** Adds the block above the highest one. */
	add(height: number, rows: readonly HistoryRow[], id: string): void {
		this.blocks.push({ height, rows, id });
		this.count += rows.length;
		for (const row of rows) {
			const key = listKey(row.kind, row.owner);
			const list = this.lists.get(key);
			if (list) list.push(row);
			else this.lists.set(key, [row]);
		}
	}

	/** Removes the highest block, if it has this height. @returns whether it was there */
	removeHighest(height: number): boolean {
		if (this.blocks.at(-1)?.height !== height) return false;
		const gone = this.blocks.pop() as RecentBlock;
		this.count -= gone.rows.length;
		for (const row of gone.rows.toReversed()) {
			const key = listKey(row.kind, row.owner);
			const list = this.lists.get(key);
			list?.pop();
			if (list?.length === 0) this.lists.delete(key);
		}
		return true;
	}

	/** Rows of the lowest blocks up to a height, about `count` rows; undefined if there is no block. */
	lowest(
		upTo: number,
		count: number,
	): { readonly upTo: number; readonly id: string; readonly rows: readonly HistoryRow[] } | undefined {
		const rows: HistoryRow[] = [];
		let last: RecentBlock | undefined;
		for (const block of this.blocks) {
			if (block.height > upTo || rows.length >= count) break;
			for (const row of block.rows) rows.push(row);
			last = block;
		}
		return last && { upTo: last.height, id: last.id, rows };
	}

	/** Removes all blocks up to a height, once the store has them. */
	forgetUpTo(height: number): void {
		const kept = this.blocks.findIndex((block) => block.height > height);
		const gone = this.blocks.splice(0, kept < 0 ? this.blocks.length : kept);
		const counts = new Map<string, number>();
		for (const { rows } of gone) {
			this.count -= rows.length;
			for (const { kind, owner } of rows) {
				const key = listKey(kind, owner);
				counts.set(key, (counts.get(key) ?? 0) + 1);
			}
		}
		for (const [key, count] of counts) {
			const list = this.lists.get(key) as HistoryRow[];
			if (list.length === count) this.lists.delete(key);
			else this.lists.set(key, list.slice(count));
		}
	}

	clear(): void {
		this.blocks = [];
		this.lists.clear();
		this.count = 0;
	}

	/** Rows of a list between two suffixes, ascending; of a set, each row once. */
	list(kind: RowKind, owner: string, from: string, end: string): readonly HistoryRow[] {
		const list = this.lists.get(listKey(kind, owner)) ?? [];
		if (!isSetKind(kind)) return list.slice(firstAtOrAfter(list, from), firstAtOrAfter(list, end));
		const once = new Map(list.map((row) => [row.suffix, row]));
		return [...once.values()]
			.filter(({ suffix }) => suffix >= from && suffix < end)
			.sort((a, b) => (a.suffix < b.suffix ? -1 : 1));
	}
}

const listKey = (kind: RowKind, owner: string): string => String.fromCharCode(ROW_KINDS[kind]) + owner;

function firstAtOrAfter(rows: readonly HistoryRow[], suffix: string): number {
	let [low, high] = [0, rows.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((rows[middle] as HistoryRow).suffix < suffix) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Above every place and every address. */
export const LAST_SUFFIX = "\xff".repeat(24);
/** Below every place and every address. */
export const FIRST_SUFFIX = "";
