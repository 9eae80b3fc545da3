/**
 * The history index (`node.history.index`): history by account and contract without scanning blocks.
 *
 * Invariant: the index is a function of the chain's blocks and receipts ({@link rowsOfBlock}). Rows of final
 * blocks in the chain's own database go to the store, in batches that include the position, so both survive a
 * crash. Rows of later blocks stay in memory and leave when their block is reverted. Older blocks are indexed
 * in the background, downwards ({@link HistoryBackfill}).
 *
 * The store is never ahead of the chain's database. If it isn't of this chain (a reverted and killed
 * development chain, a swapped directory), it is rebuilt; an external one is refused.
 *
 * While an external store is unreachable ({@link StoreAway}) the chain goes on; rows wait in memory up to a
 * bound, and dropped ones are indexed again. Indexing resumes from the store's position.
 */

import type { SignedBlock } from "../../protocol/block.js";
import { toHex, toKey } from "../../protocol/bytes.js";
import { OperatorError } from "../../protocol/operator-error.js";
import type { ChainObserver, CommittedBlock, ExecutedBlock, Reorg } from "../chain/observers.js";
import { type Pace, PacedWork, PIECE_MS } from "../scheduling/paced-work.js";
import { type IndexedChain, rowsOfBlock, storedRows } from "./block-rows.js";
import {
	type HistoryStore,
	type IndexedRange,
	ROWS_VERSION,
	StoreAway,
	type StoredPosition,
} from "./history-store.js";
import { type HistoryPage, type PageQuery, type RowSources, readMembers, readPage } from "./pages.js";
import { MAX_READ_AT_START, MAX_RECENT_ROWS, RecentRows } from "./recent-rows.js";
import { type HistoryRow, isSetKind } from "./rows.js";

/** Rows per write; a block is never split. */
const BATCH_ROWS = 4_000;
/** Bound on remembered pairs of account and contract that were written. */
const KNOWN_PAIRS = 100_000;
/** Backoff for an unreachable store. */
const FIRST_PAUSE_MS = 500;
const LONGEST_RETRY_PAUSE_MS = 30_000;

interface HistoryIndexOptions {
	readonly chain: IndexedChain;
	/** Undefined for an in-memory chain, whose index is in memory too. */
	readonly store: HistoryStore | undefined;
	readonly pace: Pace;
	/** Called where the store goes up to a block that the chain doesn't have (any more). */
	readonly onAhead?: (to: number) => void;
	/** Called once if the store fails: indexing then stops. */
	readonly onFailure: (error: unknown) => void;
	/** Called periodically while old blocks are indexed, and once at the end. */
	readonly onProgress?: (coverage: Coverage) => void;
	/** For an external store: resolves after `ms`, or when the signal aborts. */
	readonly pauseFor?: (ms: number, signal: AbortSignal) => Promise<void>;
	/** Called once when an external store is unreachable, and for each new reason; undefined: it is back. */
	readonly onAway?: (reason: string | undefined) => void;
}

/** The blocks that are indexed. */
export interface Coverage {
	/** The lowest block that is or will be indexed. */
	readonly lowest: number;
	/** All blocks from here to the head are indexed. */
	readonly from: number;
	/** Whether all blocks of the node are indexed. */
	readonly isComplete: boolean;
	/** Number of blocks still to be indexed. */
	readonly missing: number;
}

/** State of the index's database. */
export interface StoreStatus {
	/** Whether the database answers. */
	readonly isReachable: boolean;
	/** Final blocks that the database doesn't have yet. */
	readonly behind: number;
}

/** Read access to the history. */
export interface HistoryReader {
	readonly coverage: Coverage;
	readonly status: StoreStatus;
	/** A page of rows of one or several kinds, in chain order. */
	page(query: PageQuery): Promise<HistoryPage>;
	/** The lowest addresses of a set: holders, or contracts an account may hold. @param after exclusive */
	members(
		kind: "holder" | "holding",
		owner: string,
		limit: number,
		after?: string,
	): Promise<readonly string[]>;
	/** Size of the index on disk, in bytes. */
	readonly bytes: number;
}

/** Rows per write of the backfill. */
const BACKFILL_ROWS = 1_500;
/** Milliseconds between two progress reports. */
const REPORT_MS = 30_000;

interface BackfillTarget {
	/** The highest missing range of blocks; undefined if none is missing. */
	gap(): { readonly from: number; readonly to: number } | undefined;
	/** Undefined if the block isn't stored. */
	rowsOf(number: number): readonly HistoryRow[] | undefined;
	/** Neither this block nor any below is stored. */
	endAt(number: number): void;
	/** Adds rows of the blocks from `from` to the end of the gap. */
	put(rows: readonly HistoryRow[], from: number): Promise<void>;
	progressed(): void;
}

/** Indexes blocks older than the index, from the newest down, with pauses in between. */
class HistoryBackfill extends PacedWork {
	private reportedAt: number;

	constructor(
		private readonly clock: Pace,
		private readonly target: BackfillTarget,
	) {
		super(clock);
		this.reportedAt = clock.now();
	}

	protected async work(): Promise<void> {
		const { clock, target } = this;
		let isBegun = false;
		for (let gap = target.gap(); gap; gap = target.gap()) {
			isBegun = true;
			const started = clock.now();
			const rows: HistoryRow[] = [];
			let number = gap.to;
			for (; number >= gap.from; number--) {
				const found = target.rowsOf(number);
				if (!found) {
					target.endAt(number);
					break;
				}
				for (const row of found) rows.push(row);
				if (rows.length >= BACKFILL_ROWS || clock.now() - started > PIECE_MS) {
					number--;
					break;
				}
			}
			await target.put(rows, number + 1);
			if (clock.now() - this.reportedAt > REPORT_MS) {
				this.reportedAt = clock.now();
				target.progressed();
			}
			await this.rest(started);
		}
		if (isBegun) target.progressed();
	}
}

export class HistoryIndex implements HistoryReader, ChainObserver {
	private readonly recent = new RecentRows();
	/** The range that grows with the chain; `to` is below `from` while none of it is written. */
	private top: { from: number; to: number; id: string };
	/** Ranges below it, descending. */
	private lower: IndexedRange[];
	/** The lowest block of the chain. */
	private lowest: number;
	private queue: Promise<void> = Promise.resolve();
	/** The highest block of a pending write. */
	private writing: { upTo: number; id: string } | undefined;
	/** Incremented whenever pending work is invalidated. */
	private generation = 0;
	private isReadable = true;
	private hasFailed = false;
	private isFlushAsked = false;
	/** Why the store is unreachable; undefined if it is reachable. */
	private away: string | undefined;
	private readonly closing = new AbortController();
	private reaching: Promise<void> | undefined;
	private readonly knownPairs = new Set<string>();
	private readonly backfill: HistoryBackfill | undefined;

	private constructor(
		private readonly options: HistoryIndexOptions,
		position: StoredPosition | undefined,
	) {
		const [newest, ...rest] = position?.ranges ?? [];
		this.lowest = options.chain.lowestNumber;
		const stored = this.storedNumber;
		this.top = newest ? { ...newest } : { from: stored + 1, to: stored, id: "" };
		this.lower = rest;
		this.backfill = options.store && new HistoryBackfill(options.pace, this.backfillTarget());
	}

	/**
	 * Opens the index after the chain's log was replayed; it must observe all later changes.
	 * @throws {OperatorError} if its store can't be used; being unreachable is no error
	 */
	static async open(options: HistoryIndexOptions): Promise<HistoryIndex> {
		const { store, chain } = options;
		let position: StoredPosition | undefined;
		let away: StoreAway | undefined;
		try {
			position = store && (await usablePosition(store, chain, options.onAhead));
		} catch (error) {
			if (!(error instanceof StoreAway)) throw error;
			away = error;
		}
		const index = new HistoryIndex(options, position);
		index.catchUp();
		store?.watch?.((failure) => index.lost(failure));
		if (away) index.lost(away);
		else index.work();
		return index;
	}

	private get storedNumber(): number {
		// Without a store, everything stays in memory from the first block on.
		const { store, chain } = this.options;
		return store ? chain.storedNumber : chain.lowestNumber - 1;
	}

	/** Adds the blocks applied while the index wasn't observing. */
	private catchUp(): void {
		const { chain } = this.options;
		const stored = this.storedNumber;
		if (stored - this.top.to > MAX_READ_AT_START) {
			if (this.top.to >= this.top.from) this.lower.unshift({ ...this.top });
			this.top = { from: stored + 1, to: stored, id: "" };
		}
		for (let number = this.top.to + 1; number <= chain.headNumber; number++) {
			const found = storedRows(chain, number);
			if (!found) {
				// A block below the head isn't stored: the history begins above it.
				this.recent.clear();
				this.top = { from: number + 1, to: number, id: "" };
				continue;
			}
			this.recent.add(number, found.rows, found.idHex);
		}
	}

	/** The store is unreachable or too slow: read its position again once it answers. */
	private lost(error: Error): void {
		if (this.away !== undefined || this.hasFailed || this.closing.signal.aborted) return;
		this.away = error.message;
		this.generation++;
		this.writing = undefined;
		this.options.onAway?.(error.message);
		this.reaching = this.reach().catch((failure: unknown) => this.failed(failure));
	}

	private async reach(): Promise<void> {
		const { store, pauseFor } = this.options;
		const { signal } = this.closing;
		// Pending store operations finish first.
		await this.queue;
		for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_RETRY_PAUSE_MS)) {
			await pauseFor?.(pauseMs, signal);
			if (signal.aborted || !store) return;
			try {
				this.resume(await usablePosition(store, this.options.chain));
				return;
			} catch (error) {
				if (!(error instanceof StoreAway || error instanceof OperatorError)) throw error;
				if (error.message === this.away) continue;
				this.away = error.message;
				this.options.onAway?.(error.message);
			}
		}
	}

	/** Continues from the store's position; rows dropped from memory meanwhile are left to the backfill. */
	private resume(position: StoredPosition | undefined): void {
		const first = this.recent.first ?? this.options.chain.headNumber + 1;
		const [newest, ...rest] = position?.ranges ?? [];
		if (newest && newest.to + 1 >= first) {
			this.top = { ...newest };
			this.lower = rest;
			this.recent.forgetUpTo(newest.to);
		} else {
			this.top = { from: first, to: first - 1, id: "" };
			this.lower = newest ? [newest, ...rest] : [];
		}
		this.away = undefined;
		this.knownPairs.clear();
		this.options.onAway?.(undefined);
		this.work();
	}

	/** Starts pending background work. */
	private work(): void {
		void this.storedUpTo(this.storedNumber);
		this.backfill?.run().catch((error: unknown) => this.failed(error));
	}

	committed(block: CommittedBlock): void {
		// A failing index must not stop the chain.
		this.guarded(() => this.add(block));
	}

	reorg({ reverted, committed }: Reorg): void {
		for (const block of reverted) this.guarded(() => this.remove(block));
		for (const block of committed) this.committed(block);
	}

	private guarded(work: () => void): void {
		if (this.hasFailed) return;
		try {
			work();
		} catch (error) {
			this.failed(error);
		}
	}

	private add({ block, infos }: CommittedBlock): void {
		const rows = rowsOfBlock(block, this.options.chain.hasReceipts ? infos : []);
		this.recent.add(Number(block.number), rows, block.idHex);
		if (this.recent.size <= MAX_RECENT_ROWS || this.isFlushAsked || !this.options.store) return;
		this.isFlushAsked = true;
		this.options.chain
			.flush()
			.catch((error: unknown) => this.failed(error))
			.finally(() => {
				this.isFlushAsked = false;
			});
	}

	private remove({ block, infos }: ExecutedBlock): void {
		const number = Number(block.number);
		const wasRecent = this.recent.removeHighest(number);
		if (wasRecent && !(this.writing && number <= this.writing.upTo)) return;
		this.takeBack(number, block, rowsOfBlock(block, this.options.chain.hasReceipts ? infos : []));
	}

	/** Removes a block from the store: only a development chain reverts final blocks. */
	private takeBack(number: number, block: SignedBlock, rows: readonly HistoryRow[]): void {
		const before = { to: number - 1, id: toHex(block.parentId) };
		if (this.writing) {
			this.writing.upTo = Math.min(this.writing.upTo, before.to);
			this.writing.id = before.id;
		}
		if (this.top.to >= number) {
			this.top.to = before.to;
			this.top.id = before.id;
			this.top.from = Math.min(this.top.from, number);
		}
		this.lower = this.lower
			.map((range) => (range.to >= number ? { ...range, ...before } : range))
			.filter(({ from, to }) => from <= to);
		const removed = rows.filter(({ kind }) => !isSetKind(kind));
		void this.enqueue((store) => store.write([], removed, this.position));
	}

	/** The whole chain was replaced by another one. */
	replaced(): void {
		const { store } = this.options;
		this.generation++;
		this.recent.clear();
		this.knownPairs.clear();
		this.writing = undefined;
		this.lower = [];
		this.lowest = this.options.chain.lowestNumber;
		const stored = this.storedNumber;
		this.top = { from: stored + 1, to: stored, id: "" };
		this.isReadable = store === undefined;
		void this.enqueue(async () => {
			await store?.clear();
			this.isReadable = true;
		});
		this.catchUp();
		this.work();
	}

	/**
	 * The chain's database has all blocks up to a final one.
	 * @returns resolves once the store has them too
	 */
	storedUpTo(number: number): Promise<void> {
		this.shed(number);
		const { generation } = this;
		return this.enqueue(async (store) => {
			while (generation === this.generation && this.top.to < number) {
				if (!(await this.writeNext(store, number))) return;
			}
		});
	}

	/** Drops rows of stored blocks while an external store is unreachable or too slow. */
	private shed(upTo: number): void {
		if (this.recent.size <= MAX_RECENT_ROWS || !this.options.onAway) return;
		if (this.away === undefined && this.recent.size > 2 * MAX_RECENT_ROWS) {
			this.lost(new StoreAway("writing takes longer than the chain needs"));
		}
		if (this.away !== undefined) this.recent.forgetUpTo(upTo);
	}

	private async writeNext(store: HistoryStore, upTo: number): Promise<boolean> {
		const batch = this.recent.lowest(upTo, BATCH_ROWS);
		if (!batch) return false;
		const { generation } = this;
		const writing = { upTo: batch.upTo, id: batch.id };
		this.writing = writing;
		const pairs = new Set<string>();
		const rows = batch.rows.filter((row) => !isSetKind(row.kind) || this.isNewPair(row, pairs));
		await store.write(rows, [], this.positionWith({ ...this.top, to: batch.upTo, id: batch.id }));
		if (generation !== this.generation) return false;
		this.writing = undefined;
		for (const pair of pairs) this.knownPairs.add(pair);
		if (this.knownPairs.size > KNOWN_PAIRS) this.knownPairs.clear();
		this.top.to = writing.upTo;
		this.top.id = writing.id;
		this.recent.forgetUpTo(writing.upTo);
		return true;
	}

	private isNewPair({ kind, owner, suffix }: HistoryRow, pairs: Set<string>): boolean {
		const pair = kind + owner + suffix;
		if (this.knownPairs.has(pair) || pairs.has(pair)) return false;
		pairs.add(pair);
		return true;
	}

	/** Runs store operations in FIFO order. */
	private enqueue(work: (store: HistoryStore) => Promise<void>): Promise<void> {
		const { store } = this.options;
		if (!store) return Promise.resolve();
		this.queue = this.queue.then(async () => {
			// Skipped work is recovered from the store's position once it is reachable.
			if (this.hasFailed || this.away !== undefined) return;
			try {
				await work(store);
			} catch (error) {
				if (error instanceof StoreAway || (this.options.onAway && error instanceof OperatorError)) {
					this.lost(error);
				} else this.failed(error);
			}
		});
		return this.queue;
	}

	private failed(error: unknown): void {
		if (this.hasFailed) return;
		this.hasFailed = true;
		this.options.onFailure(error);
	}

	private get position(): StoredPosition {
		return this.positionWith(this.top);
	}

	private positionWith(top: IndexedRange): StoredPosition {
		return { version: ROWS_VERSION, ranges: [top, ...this.lower].filter(({ from, to }) => from <= to) };
	}

	/** The index as seen by the backfill. */
	private backfillTarget() {
		return {
			/** The highest missing block, and the lowest of its gap. */
			gap: (): { readonly from: number; readonly to: number } | undefined => {
				if (this.hasFailed || this.away !== undefined) return undefined;
				const to = this.top.from - 1;
				const from = Math.max((this.lower[0]?.to ?? this.lowest - 1) + 1, this.lowest);
				return to >= from ? { from, to } : undefined;
			},
			rowsOf: (number: number) => storedRows(this.options.chain, number)?.rows,
			/** Nothing is stored at a block or below. */
			endAt: (number: number): void => {
				this.lowest = number + 1;
				this.lower = [];
			},
			put: (rows: readonly HistoryRow[], from: number): Promise<void> => {
				const { generation } = this;
				return this.enqueue(async (store) => {
					if (generation !== this.generation || from >= this.top.from) return;
					await store.write(rows, [], this.positionWith({ ...this.top, from, ...this.topEnd(from) }));
					if (generation !== this.generation) return;
					this.top.from = Math.min(from, this.top.from);
					this.join();
				});
			},
			progressed: () => this.options.onProgress?.(this.coverage),
		};
	}

	/** The end of the top range, so that it can be written before any new block is. */
	private topEnd(from: number): { to: number; id: string } {
		const { to, id } = this.top;
		if (id !== "" || to < from) return { to, id };
		return { to, id: this.options.chain.block(to)?.idHex ?? "" };
	}

	private join(): void {
		const { to } = this.top;
		if (this.top.id === "" && to >= this.top.from) this.top.id = this.topEnd(this.top.from).id;
		const [next] = this.lower;
		if (next && next.to + 1 >= this.top.from) {
			this.top.from = Math.min(next.from, this.top.from);
			this.lower = this.lower.slice(1);
		}
	}

	get coverage(): Coverage {
		const from = this.top.from;
		const known = this.lower.reduce((sum, range) => sum + range.to - range.from + 1, 0);
		const missing = Math.max(0, from - this.lowest - known);
		return { lowest: this.lowest, from, isComplete: missing === 0, missing };
	}

	get bytes(): number {
		return this.options.store?.bytes ?? 0;
	}

	get status(): StoreStatus {
		const unwritten = this.options.store ? Math.max(0, this.storedNumber - this.top.to) : 0;
		return { isReachable: this.away === undefined, behind: unwritten + this.coverage.missing };
	}

	/** A consistent pair: the store up to a height, and memory above it. */
	private get sources(): RowSources {
		if (this.hasFailed) throw new HistoryFailure("the history index could not be written: see the log");
		if (this.away !== undefined) throw new HistoryFailure(AWAY);
		return {
			store: this.isReadable ? this.options.store : undefined,
			storedTo: this.top.to,
			recent: this.recent,
		};
	}

	async page(query: PageQuery): Promise<HistoryPage> {
		return orFailure(readPage(this.sources, query));
	}

	async members(...asked: Parameters<HistoryReader["members"]>): Promise<readonly string[]> {
		return orFailure(readMembers(this.sources, ...asked));
	}

	/** Waits for pending writes and closes the store. Flush the chain first. */
	async close(): Promise<void> {
		this.closing.abort();
		await this.backfill?.stop();
		await this.queue;
		await this.reaching;
		await this.options.store?.close();
	}
}

/** The index can't answer; one sentence. */
export class HistoryFailure extends Error {
	override readonly name = "HistoryFailure";
}

/** The store's position if it is this chain's; else clears the store. @throws {StoreAway | OperatorError} */
async function usablePosition(
	store: HistoryStore,
	chain: IndexedChain,
	onAhead?: (to: number) => void,
): Promise<StoredPosition | undefined> {
	const position = await store.position();
	if (position && isOf(position, chain)) return position;
	const { keepsOthers } = store;
	const last = position?.ranges[0];
	if (keepsOthers !== undefined && last) throw new OtherChainError(otherChain(keepsOthers, last.to, chain));
	if (last && last.to > chain.storedNumber) onAhead?.(last.to);
	await store.clear();
	return undefined;
}

/** Rows in an external database are of another chain. */
class OtherChainError extends OperatorError {
	override readonly name = "OtherChainError";
}

const otherChain = (place: string, to: number, chain: IndexedChain): string =>
	to > chain.storedNumber
		? `the history in ${place} goes up to block ${to}, and this node has ${chain.storedNumber}: synchronise it with node.history.readOnly = true first`
		: `the history in ${place} has other blocks than this chain, up to ${to}: name another schema`;

/** Error text while the database is unreachable. */
export const AWAY = "the database of the history does not answer; the node goes on, and so will its history";

/** Turns {@link StoreAway} into a {@link HistoryFailure}. */
export async function orFailure<T>(answer: Promise<T>): Promise<T> {
	try {
		return await answer;
	} catch (error) {
		throw error instanceof StoreAway ? new HistoryFailure(AWAY) : error;
	}
}

/** Whether the store was built from this chain's blocks. */
function isOf({ ranges }: StoredPosition, chain: IndexedChain): boolean {
	return ranges.every(({ to, id }) => to <= chain.storedNumber && chain.block(to)?.idHex === id);
}

/** Owner key of rows. @param address 20 or 21 bytes */
export const ownerKey = (address: Uint8Array): string => toKey(address.subarray(address.length - 20));
