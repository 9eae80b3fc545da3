/** The mempool: transactions waiting for a block (protocol/blocks §5.1). Queues only; the chain executes. */

import type { SignedBlock } from "../../protocol/block.js";
import { toKey } from "../../protocol/bytes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";

export interface PendingTransaction {
	readonly transaction: SignedTransaction;
	/** Arrival time, in milliseconds of a monotonic clock. */
	readonly receivedMs: bigint;
	/** TransactionInfo.fee of its execution, in sun: the sort key of a pool that sorts by fee. */
	readonly feeSun: bigint;
	/** Duration of that execution, in milliseconds; absent: not executed here. */
	readonly tookMs?: number;
	/** Duration of its latest execution for a block, which may take another course than a pending one; absent: none. */
	readonly packingMs?: number;
}

/** What is packed next. */
interface NextTransaction {
	readonly entry: PendingTransaction;
	/** Already executed on this head with its signatures checked; false if it still waits for re-execution. */
	readonly isPending: boolean;
}

/** Total transaction bytes at which the pool is full, regardless of their number. */
const FULL_BYTES = 64 << 20;

/** Time limit in milliseconds for one turn of re-executing waiting transactions. */
export const REQUEUE_TURN_MS = 20;

export class PendingPool {
	/** Executed on the pending layer. */
	private pending: PendingTransaction[] = [];
	/** Waiting for re-execution after a block. */
	private again: PendingTransaction[] = [];
	/** From blocks reverted by a reorg. */
	private popped: PendingTransaction[] = [];
	/** Bytes of all three queues. */
	private bytes = 0;
	/** In a block that this node has packed but not yet applied. */
	packed: readonly PendingTransaction[] = [];

	constructor(
		private readonly timeoutMs: bigint,
		private readonly sortByFee: boolean,
	) {}

	/** Number of pending, waiting and popped transactions: what getpendingsize reports. */
	get size(): number {
		return this.pending.length + this.again.length + this.popped.length;
	}

	/** Number of transactions that count towards the pool's limit. */
	get queued(): number {
		return this.pending.length + this.again.length;
	}

	/** Whether the pool's memory budget is used up: new transactions have to wait. */
	get isFull(): boolean {
		return this.bytes >= FULL_BYTES;
	}

	/** Number of transactions waiting for re-execution. */
	get waiting(): number {
		return this.again.length;
	}

	/** Whether transactions wait for re-execution. */
	get hasWaiting(): boolean {
		return this.again.length > 0;
	}

	/** Pending and waiting transactions, in queue order. */
	list(): readonly PendingTransaction[] {
		return [...this.pending, ...this.again];
	}

	/** Every transaction that must survive a restart, including those of reverted blocks and of an unapplied packed block. */
	all(): readonly PendingTransaction[] {
		return [...this.packed, ...this.pending, ...this.again, ...this.popped];
	}

	/** Finds a queued transaction by its hexadecimal id. */
	find(idHex: string): SignedTransaction | undefined {
		return this.list().find((entry) => entry.transaction.idHex === idHex)?.transaction;
	}

	addPending(entry: PendingTransaction): void {
		this.pending.push(entry);
		this.bytes += bytesOf(entry);
		if (this.sortByFee) sortByFee(this.pending);
	}

	addPopped(transactions: readonly SignedTransaction[], nowMs: bigint): void {
		for (const transaction of transactions) {
			const entry = { transaction, receivedMs: nowMs, feeSun: 0n };
			this.popped.push(entry);
			this.bytes += bytesOf(entry);
		}
	}

	/** Puts back what {@link takeForBlock} returned, for a block that could not be packed. */
	giveBack(entries: readonly PendingTransaction[]): void {
		this.again.unshift(...entries);
		for (const entry of entries) this.bytes += bytesOf(entry);
	}

	/**
	 * After a block: everything that isn't too old waits for re-execution.
	 * @returns what is too old, and left the pool
	 */
	requeue(nowMs: bigint): readonly PendingTransaction[] {
		const dropped: PendingTransaction[] = [];
		const kept: PendingTransaction[] = [];
		const age = (entry: PendingTransaction): bigint => nowMs - entry.receivedMs;
		for (const entry of this.again) (age(entry) <= this.timeoutMs ? kept : dropped).push(entry);
		for (const entry of this.pending) (age(entry) < this.timeoutMs ? kept : dropped).push(entry);
		for (const entry of this.popped) (age(entry) < this.timeoutMs ? kept : dropped).push(entry);
		this.again = kept;
		if (this.sortByFee) sortByFee(this.again);
		this.pending = [];
		this.popped = [];
		for (const entry of dropped) this.bytes -= bytesOf(entry);
		return dropped;
	}

	/** Forgets everything. */
	clear(): void {
		this.pending = [];
		this.again = [];
		this.popped = [];
		this.bytes = 0;
	}

	private taken(entry: PendingTransaction | undefined): PendingTransaction | undefined {
		if (entry) this.bytes -= bytesOf(entry);
		return entry;
	}

	/** Takes the next transaction to re-execute. */
	takeAgain(): PendingTransaction | undefined {
		return this.taken(this.again.shift());
	}

	/** Takes the next transaction for a block: pending before waiting ones, or the higher fee. */
	takeForBlock(): NextTransaction | undefined {
		const [first] = this.pending;
		const [second] = this.again;
		const isDearer = this.sortByFee && first && second && second.feeSun > first.feeSun;
		const isPending = first !== undefined && !isDearer;
		const entry = this.taken(isPending ? this.pending.shift() : this.again.shift());
		return entry && { entry, isPending };
	}
}

/**
 * Owners with a pending transaction that changes their permissions, or registers them as a witness: their
 * signatures are checked again when packing, on a state that may lack the change.
 */
export class ChangedOwners {
	private readonly owners = new Set<string>();

	/** A transaction became pending. */
	note({ type, owner }: SignedTransaction): void {
		if (type?.name === "AccountPermissionUpdateContract" || type?.name === "WitnessCreateContract") {
			this.owners.add(toKey(owner));
		}
	}

	has(owner: string): boolean {
		return this.owners.has(owner);
	}

	/** After a block: an owner stays only while it has transactions waiting. */
	keep(pool: PendingPool, block: SignedBlock): void {
		if (this.owners.size === 0) return;
		const transactions = [...pool.list().map((entry) => entry.transaction), ...block.transactions];
		const waiting = new Set(transactions.map((transaction) => toKey(transaction.owner)));
		for (const owner of this.owners) if (!waiting.has(owner)) this.owners.delete(owner);
	}

	clear(): void {
		this.owners.clear();
	}
}

function bytesOf({ transaction }: PendingTransaction): number {
	return transaction.bytes.length;
}

/** Stable: equal fees keep their order. */
function sortByFee(entries: PendingTransaction[]): void {
	entries.sort((a, b) => (a.feeSun === b.feeSun ? 0 : a.feeSun > b.feeSun ? -1 : 1));
}
