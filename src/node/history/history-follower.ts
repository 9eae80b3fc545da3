/**
 * The history that another node writes to a shared database (`node.history.readOnly`). Rows of final blocks
 * come from the database, later ones from this node's own chain, in memory. The stored position is polled;
 * rows up to it are dropped from memory.
 */

import type { ChainObserver, CommittedBlock, Reorg } from "../chain/observers.js";
import { type IndexedChain, rowsOfBlock, storedRows } from "./block-rows.js";
import {
	AWAY,
	type Coverage,
	HistoryFailure,
	type HistoryReader,
	orFailure,
	type StoreStatus,
} from "./history-index.js";
import { type HistoryStore, StoreAway, type StoredPosition } from "./history-store.js";
import { type HistoryPage, type PageQuery, type RowSources, readMembers, readPage } from "./pages.js";
import { MAX_READ_AT_START, MAX_RECENT_ROWS, RecentRows } from "./recent-rows.js";

const ASKING_MS = 1_000;

interface FollowerOptions {
	readonly chain: IndexedChain;
	readonly store: HistoryStore;
	/** Resolves after `ms`, or when the signal aborts. */
	readonly pauseFor: (ms: number, signal: AbortSignal) => Promise<void>;
	/** Called once when the database becomes unreachable, and for each new reason; undefined: it is back. */
	readonly onAway: (reason: string | undefined) => void;
}

export class HistoryFollower implements HistoryReader, ChainObserver {
	private readonly recent = new RecentRows();
	private readonly closing = new AbortController();
	private position: StoredPosition | undefined;
	private away: string | undefined;
	private asking: Promise<void> = Promise.resolve();

	private constructor(private readonly options: FollowerOptions) {}

	/** @throws {OperatorError} if the database can't be used; being unreachable is no error */
	static async open(options: FollowerOptions): Promise<HistoryFollower> {
		const follower = new HistoryFollower(options);
		await follower.ask();
		follower.catchUp();
		follower.asking = follower.askAgain();
		return follower;
	}

	private async ask(): Promise<void> {
		try {
			const position = await this.options.store.position();
			this.position = position;
			this.setAway(position && this.differs(position));
			this.recent.forgetUpTo(this.storedTo);
		} catch (error) {
			if (!(error instanceof StoreAway)) throw error;
			this.setAway(error.message);
		}
	}

	private async askAgain(): Promise<void> {
		const { signal } = this.closing;
		for (;;) {
			await this.options.pauseFor(ASKING_MS, signal);
			if (signal.aborted) return;
			// An error that would refuse a start may be fixed while the node runs.
			await this.ask().catch((error: unknown) => this.setAway((error as Error).message));
		}
	}

	private setAway(reason: string | undefined): void {
		if (reason === this.away) return;
		this.away = reason;
		this.options.onAway(reason);
	}

	/** Why the stored rows aren't this chain's, if so. Blocks unknown to this node can't be checked. */
	private differs({ ranges }: StoredPosition): string | undefined {
		const { chain } = this.options;
		for (const { to, id } of ranges) {
			const own = to <= chain.headNumber ? chain.block(to)?.idHex : undefined;
			if (own !== undefined && own !== id) return `the history has another block ${to} than this node`;
		}
		return undefined;
	}

	private get storedTo(): number {
		return this.position?.ranges[0]?.to ?? this.options.chain.lowestNumber - 1;
	}

	private catchUp(): void {
		const { chain } = this.options;
		const first = Math.max(this.storedTo + 1, chain.headNumber - MAX_READ_AT_START + 1);
		for (let number = first; number <= chain.headNumber; number++) {
			const found = storedRows(chain, number);
			if (found) this.recent.add(number, found.rows, found.idHex);
			else this.recent.clear();
		}
	}

	committed({ block, infos }: CommittedBlock): void {
		const { chain } = this.options;
		const number = Number(block.number);
		if (number <= this.storedTo) return;
		this.recent.add(number, rowsOfBlock(block, chain.hasReceipts ? infos : []), block.idHex);
		if (this.recent.size > MAX_RECENT_ROWS) this.recent.forgetUpTo(chain.storedNumber);
	}

	reorg({ reverted, committed }: Reorg): void {
		for (const { block } of reverted) this.recent.removeHighest(Number(block.number));
		for (const block of committed) this.committed(block);
	}

	replaced(): void {
		this.recent.clear();
		this.catchUp();
	}

	get coverage(): Coverage {
		const { chain } = this.options;
		const lowest = chain.lowestNumber;
		const ranges = this.position?.ranges ?? [];
		const known = ranges.reduce((sum, range) => sum + range.to - Math.max(range.from, lowest) + 1, 0);
		const own = this.recent.first ?? chain.headNumber + 1;
		// Blocks may be missing between the writer's last one and this node's first in memory.
		const between = Math.max(0, own - this.storedTo - 1);
		const from = between > 0 ? own : Math.max(ranges[0]?.from ?? own, lowest);
		const missing = Math.max(0, this.storedTo + 1 - lowest - known) + between;
		return { lowest, from, isComplete: missing === 0, missing };
	}

	get status(): StoreStatus {
		const unwritten = Math.max(0, this.options.chain.storedNumber - this.storedTo);
		return { isReachable: this.away === undefined, behind: unwritten };
	}

	get bytes(): number {
		return this.options.store.bytes;
	}

	private get sources(): RowSources {
		if (this.away !== undefined) throw new HistoryFailure(AWAY);
		return { store: this.options.store, storedTo: this.storedTo, recent: this.recent };
	}

	async page(query: PageQuery): Promise<HistoryPage> {
		// The writer may be ahead of this node.
		const to = Math.min(query.to, this.options.chain.headNumber);
		return orFailure(readPage(this.sources, { ...query, to }));
	}

	async members(...asked: Parameters<HistoryReader["members"]>): Promise<readonly string[]> {
		return orFailure(readMembers(this.sources, ...asked));
	}

	async close(): Promise<void> {
		this.closing.abort();
		await this.asking;
		await this.options.store.close();
	}
}
