/** Reads pages of rows in chain order, merging store and memory. */

import type { HistoryStore } from "./history-store.js";
import { FIRST_SUFFIX, LAST_SUFFIX, type RecentRows } from "./recent-rows.js";
import { blockSuffix, type HistoryRow, ROW_KINDS, type RowKind } from "./rows.js";

/** Rows of one list per read. */
const CHUNK = 256;
/** Rows a page examines, including filtered ones: then it ends early and the next page continues there. */
const MAX_LOOKED_AT = 20_000;

interface RowList {
	readonly kind: RowKind;
	/** {@link HistoryRow.owner}. */
	readonly owner: string;
}

/** Where a page ended. */
interface PageCursor {
	readonly suffix: string;
	readonly kind: RowKind;
}

export interface PageQuery {
	/** Lists merged by place. */
	readonly lists: readonly RowList[];
	/** Heights, inclusive. */
	readonly from: number;
	readonly to: number;
	/** Newest first. */
	readonly descending: boolean;
	readonly limit: number;
	/** The page starts after it. */
	readonly after?: PageCursor | undefined;
	/** Filter for rows; absent: all. */
	readonly accepts?: ((row: HistoryRow) => boolean) | undefined;
}

export interface HistoryPage {
	readonly rows: readonly HistoryRow[];
	/** Cursor of the next page; undefined on the last one. */
	readonly next: PageCursor | undefined;
}

/** Where rows are, at one moment. */
export interface RowSources {
	readonly store: HistoryStore | undefined;
	/** Height up to which the store is used. */
	readonly storedTo: number;
	readonly recent: RecentRows;
}

/** A page of at most `limit` rows; fewer also if the filter rejected too many. */
export async function readPage(sources: RowSources, query: PageQuery): Promise<HistoryPage> {
	const { lists, limit, accepts } = query;
	const readers = lists.map((list) => new ListReader(sources, list, query));
	const rows: HistoryRow[] = [];
	let last: PageCursor | undefined;
	for (let looked = 0; ; looked++) {
		const reader = await nextReader(readers, query.descending);
		if (!reader) return { rows, next: undefined };
		if (rows.length >= limit || looked >= MAX_LOOKED_AT) return { rows, next: last };
		const row = reader.take();
		last = { suffix: row.suffix, kind: row.kind };
		if (!accepts || accepts(row)) rows.push(row);
	}
}

/** The reader whose next row comes first. */
async function nextReader(
	readers: readonly ListReader[],
	descending: boolean,
): Promise<ListReader | undefined> {
	let first: ListReader | undefined;
	for (const reader of readers) {
		if (!reader.isFilled) await reader.fill();
		const row = reader.head;
		if (!row) continue;
		const order = first?.head ? compare(row, first.head) : -1;
		if (!first || (descending ? order > 0 : order < 0)) first = reader;
	}
	return first;
}

/** By suffix, then by kind. */
function compare(a: PageCursor, b: PageCursor): number {
	if (a.suffix !== b.suffix) return a.suffix < b.suffix ? -1 : 1;
	return ROW_KINDS[a.kind] - ROW_KINDS[b.kind];
}

/** Reads a list in chunks. Memory is read at the start, so that rows moving to the store aren't missed. */
class ListReader {
	private from: string;
	private end: string;
	private readonly storeEnd: string;
	private recent: readonly HistoryRow[] | undefined;
	private chunk: readonly HistoryRow[] = [];
	private at = 0;
	private isStoreDone: boolean;
	/** Size of the next chunk: small at first, growing if a filter rejects most rows. */
	private step: number;

	constructor(
		private readonly sources: RowSources,
		private readonly list: RowList,
		private readonly query: PageQuery,
	) {
		const { after, descending } = query;
		this.step = Math.min(CHUNK, query.limit + 1);
		this.from = blockSuffix(query.from);
		this.end = blockSuffix(query.to + 1);
		if (after) {
			// Rows at the cursor's place still follow if their kind sorts after the cursor's.
			const isBehind = ROW_KINDS[list.kind] > ROW_KINDS[after.kind] !== descending;
			const skipsPlace = list.kind === after.kind || !isBehind;
			if (descending) this.end = least(this.end, skipsPlace ? after.suffix : above(after.suffix));
			else this.from = greatest(this.from, skipsPlace ? above(after.suffix) : after.suffix);
		}
		this.storeEnd = least(this.end, blockSuffix(sources.storedTo + 1));
		this.recent = sources.recent.list(list.kind, list.owner, this.from, this.end);
		this.isStoreDone = sources.store === undefined || this.from >= this.storeEnd;
		if (descending) this.takeRecent();
	}

	get isFilled(): boolean {
		return this.at < this.chunk.length || (this.isStoreDone && !this.recent);
	}

	get head(): HistoryRow | undefined {
		return this.chunk[this.at];
	}

	take(): HistoryRow {
		return this.chunk[this.at++] as HistoryRow;
	}

	private takeRecent(): void {
		const rows = this.recent ?? [];
		this.recent = undefined;
		this.chunk = this.query.descending ? rows.toReversed() : rows;
		this.at = 0;
	}

	async fill(): Promise<void> {
		while (this.at >= this.chunk.length) {
			if (!this.isStoreDone) await this.readStore();
			else if (this.recent) this.takeRecent();
			else return;
		}
	}

	private async readStore(): Promise<void> {
		const { kind, owner } = this.list;
		const { descending } = this.query;
		const { step: limit, from } = this;
		const end = least(this.end, this.storeEnd);
		const found = (await this.sources.store?.rows(kind, owner, { from, end, descending, limit })) ?? [];
		this.chunk = found;
		this.at = 0;
		this.step = Math.min(CHUNK, 2 * this.step);
		const last = found.at(-1);
		if (!last || found.length < limit) this.isStoreDone = true;
		else if (descending) this.end = last.suffix;
		else this.from = above(last.suffix);
	}
}

/** The lowest addresses of a set, from store and memory, ascending and unique. @param after exclusive */
export async function readMembers(
	{ store, recent }: RowSources,
	kind: RowKind,
	owner: string,
	limit: number,
	after?: string,
): Promise<readonly string[]> {
	const from = after === undefined ? FIRST_SUFFIX : above(after);
	const range = { from, end: LAST_SUFFIX, descending: false, limit };
	const fresh = recent.list(kind, owner, range.from, range.end);
	const stored = (await store?.rows(kind, owner, range)) ?? [];
	const members = new Set([...stored, ...fresh].map(({ suffix }) => suffix));
	return [...members].sort().slice(0, limit);
}

/** The smallest string above `suffix`. */
const above = (suffix: string): string => `${suffix}\0`;
const least = (a: string, b: string): string => (a < b ? a : b);
const greatest = (a: string, b: string): string => (a > b ? a : b);
