/**
 * The history index (`node.history.index`): what happened to each account and contract, found without looking through blocks.
 *
 * Contract: the index is a function of the chain's blocks and receipts ({@link rowsOfBlock}). Rows of blocks that can't be undone
 * and that the chain's own database has go to the store, in batches that hold the index's position too; so a kill at any moment
 * leaves rows and position of one moment, and the next start goes on from there. All later blocks' rows are in memory, and leave
 * with their block. Older blocks are indexed in the background, downwards ({@link HistoryBackfill}).
 *
 * The store is never ahead of the chain's database. Where it is nevertheless not of this chain (a development chain that was
 * reverted and killed, a directory that was exchanged), it is built again, unless it is kept elsewhere: that is refused.
 *
 * A store elsewhere can be away ({@link StoreAway}). The chain goes on; rows wait in memory, up to a bound, and what was dropped is
 * indexed again in the background. Once the store answers, its own position says where the index goes on.
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

/** Rows that go to the store at once; the blocks of a batch are whole. */
const BATCH_ROWS = 4_000;
/** Pairs of account and contract that are known to be written. */
const KNOWN_PAIRS = 100_000;
/** Pauses between two tries to reach a store that is away. */
const FIRST_PAUSE_MS = 500;
const LONGEST_RETRY_PAUSE_MS = 30_000;

interface HistoryIndexOptions {
	readonly chain: IndexedChain;
	/** Undefined: the chain lives in memory, and so does its index. */
	readonly store: HistoryStore | undefined;
	readonly pace: Pace;
	/** Called once if the store fails: the index then stands still. */
	readonly onFailure: (error: unknown) => void;
	/** Called now and then while old blocks are indexed, and once when they all are. */
	readonly onProgress?: (coverage: Coverage) => void;
	/** For a store elsewhere: waits so many ms, or until the signal. */
	readonly pauseFor?: (ms: number, signal: AbortSignal) => Promise<void>;
	/** Called once when a store elsewhere is away, and of each new reason why; undefined: it is there again. */
	readonly onAway?: (reason: string | undefined) => void;
}

/** Which blocks the index knows. */
export interface Coverage {
	/** The lowest block that is or will be indexed. */
	readonly lowest: number;
	/** Every block from here to the head is indexed. */
	readonly from: number;
	/** Whether that is all the blocks that the node has. */
	readonly isComplete: boolean;
	/** Blocks that are still to be indexed. */
	readonly missing: number;
}

/** How the index stands to the database that keeps it. */
export interface StoreStatus {
	/** Whether the database answers. */
	readonly isReachable: boolean;
	/** Final blocks that the database doesn't have yet. */
	readonly behind: number;
}

/** What readers of the history see of the index. */
export interface HistoryReader {
	readonly coverage: Coverage;
	readonly status: StoreStatus;
	/** A page of rows of one or several kinds, in the order of the chain. */
	page(query: PageQuery): Promise<HistoryPage>;
	/** The lowest addresses of a set: holders of a contract's tokens, contracts whose tokens an account may hold. @param after the one below them */
	members(
		kind: "holder" | "holding",
		owner: string,
		limit: number,
		after?: string,
	): Promise<readonly string[]>;
	/** Bytes of the index on the disk. */
	readonly bytes: number;
}

/** Rows that are written at once. */
const BACKFILL_ROWS = 1_500;
/** Milliseconds between two reports. */
const REPORT_MS = 30_000;

interface BackfillTarget {
	/** The highest stretch of blocks that is missing; undefined: none is. */
	gap(): { readonly from: number; readonly to: number } | undefined;
	/** Undefined: the block isn't stored. */
	rowsOf(number: number): readonly HistoryRow[] | undefined;
	/** Neither this block nor any below is stored. */
	endAt(number: number): void;
	/** Adds rows of the blocks from a height up to the end of the gap. */
	put(rows: readonly HistoryRow[], from: number): Promise<void>;
	progressed(): void;
}

/** Indexing the blocks that were there before the index, from the newest down, with rests in between. */
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
	/** The stretch that grows with the chain; its end lies before its begin while nothing of it is written. */
	private top: { from: number; to: number; id: string };
	/** Stretches below, descending. */
	private lower: IndexedRange[];
	/** The lowest block there is. */
	private lowest: number;
	private queue: Promise<void> = Promise.resolve();
	/** The highest block that a write under way brings to the store. */
	private writing: { upTo: number; id: string } | undefined;
	/** Counts the times that everything was given up. */
	private generation = 0;
	private isReadable = true;
	private hasFailed = false;
	private isFlushAsked = false;
	/** Why the store can't be used now. */
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
	 * Opens the index of a chain whose log is replayed; it must be notified of all later changes.
	 * @throws {OperatorError} if its store can't be used, but not if it is only away
	 */
	static async open(options: HistoryIndexOptions): Promise<HistoryIndex> {
		const { store, chain } = options;
		let position: StoredPosition | undefined;
		let away: StoreAway | undefined;
		try {
			position = store && (await usablePosition(store, chain));
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
		// Without a store everything stays in memory, from the first block on.
		const { store, chain } = this.options;
		return store ? chain.storedNumber : chain.lowestNumber - 1;
	}

	/** Reads what came while the index wasn't told. */
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
				// The node lacks a block below its head: the history begins above it.
				this.recent.clear();
				this.top = { from: number + 1, to: number, id: "" };
				continue;
			}
			this.recent.add(number, found.rows, found.idHex);
		}
	}

	/** The store can't be reached, or is too slow: it is asked where it stands once it answers. */
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
		// What is asked of the store now comes to its end before.
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

	/** Goes on where the store says that it stands: what was dropped from memory in between is left to the background. */
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

	/** Begins whatever is due in the background. */
	private work(): void {
		void this.storedUpTo(this.storedNumber);
		this.backfill?.run().catch((error: unknown) => this.failed(error));
	}

	committed(block: CommittedBlock): void {
		// The chain goes on whatever becomes of its index.
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

	/** Removes a block from the store: only a development chain undoes what is final. */
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

	/** Everything the chain had is gone, and it has other blocks now. */
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
	 * The chain's database has all blocks up to one that can't be undone.
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

	/** Drops rows of stored blocks that a store elsewhere is too slow for, or away. */
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

	/** Runs work on the store after all that was asked for before. */
	private enqueue(work: (store: HistoryStore) => Promise<void>): Promise<void> {
		const { store } = this.options;
		if (!store) return Promise.resolve();
		this.queue = this.queue.then(async () => {
			// What is left out while the store is away is found again by its position.
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

	/** How the background work sees the index. */
	private backfillTarget() {
		return {
			/** The highest block that is missing, and the one down to which it and those below are. */
			gap: (): { readonly from: number; readonly to: number } | undefined => {
				if (this.hasFailed || this.away !== undefined) return undefined;
				const to = this.top.from - 1;
				const from = Math.max((this.lower[0]?.to ?? this.lowest - 1) + 1, this.lowest);
				return to >= from ? { from, to } : undefined;
			},
			rowsOf: (number: number) => storedRows(this.options.chain, number)?.rows,
			/** There is nothing at a block and below. */
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

	/** Where the top ends, so that it can be written even before anything new is. */
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

	/** Both at one moment: what the store holds up to a height, and what memory holds above it. */
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

	/** Waits for what is being written and closes the store. The chain should have been flushed before. */
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

/** The position of a store that is this chain's; of one that isn't, which then is empty, none. @throws {StoreAway | OperatorError} */
async function usablePosition(store: HistoryStore, chain: IndexedChain): Promise<StoredPosition | undefined> {
	const position = await store.position();
	if (position && isOf(position, chain)) return position;
	const { keepsOthers } = store;
	const last = position?.ranges[0];
	if (keepsOthers !== undefined && last) throw new OtherChainError(otherChain(keepsOthers, last.to, chain));
	await store.clear();
	return undefined;
}

/** Rows in a database elsewhere aren't of this chain. */
class OtherChainError extends OperatorError {
	override readonly name = "OtherChainError";
}

const otherChain = (place: string, to: number, chain: IndexedChain): string =>
	to > chain.storedNumber
		? `the history in ${place} goes up to block ${to}, and this node has ${chain.storedNumber}: synchronise it with node.history.readOnly = true first`
		: `the history in ${place} has other blocks than this chain, up to ${to}: name another schema`;

/** What is answered while the database can't be read. */
export const AWAY = "the database of the history does not answer; the node goes on, and so will its history";

/** An answer of the store, or the sentence that it is away. */
export async function orFailure<T>(answer: Promise<T>): Promise<T> {
	try {
		return await answer;
	} catch (error) {
		throw error instanceof StoreAway ? new HistoryFailure(AWAY) : error;
	}
}

/** Whether the store was made of this chain's blocks, as far as it has come. */
function isOf({ ranges }: StoredPosition, chain: IndexedChain): boolean {
	return ranges.every(({ to, id }) => to <= chain.storedNumber && chain.block(to)?.idHex === id);
}

/** An owner of rows. @param address 20 or 21 bytes */
export const ownerKey = (address: Uint8Array): string => toKey(address.subarray(address.length - 20));
