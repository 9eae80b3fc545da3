/** How long the chain's work takes: measured for metrics alone, nothing else may depend on it. */

import type { SignedBlock } from "../../protocol/block.js";
import type { SignedTransaction } from "../../protocol/transaction.js";

/** What metrics measure. Transactions are timed only where one of the first two is there. */
export interface TimingListener {
	/** A transaction was executed, in a block or for the pool. */
	executed?(transaction: SignedTransaction, inBlock: boolean, ms: number): void;
	/** The signatures of a client's transaction were checked. */
	authorized?(ms: number): void;
	/** A block of this node was packed. */
	packed?(block: SignedBlock, ms: number): void;
	/** A block that was offered joined the chain or a side branch. */
	pushed?(block: SignedBlock, isReorg: boolean, ms: number): void;
}

export class ChainTimings {
	private listener: TimingListener | undefined;

	/** @param guarded runs what must not reach the chain by what it throws */
	constructor(private readonly guarded: (notify: () => void) => void) {}

	/** Gives the times to a listener in place of a former one; the returned function ends it. */
	listen(listener: TimingListener): () => void {
		this.listener = listener;
		return () => {
			if (this.listener === listener) this.listener = undefined;
		};
	}

	/** Whether the times of single transactions are taken. */
	get isWatched(): boolean {
		return (this.listener?.executed ?? this.listener?.authorized) !== undefined;
	}

	executed(transaction: SignedTransaction, inBlock: boolean, ms: number): void {
		this.guarded(() => this.listener?.executed?.(transaction, inBlock, ms));
	}

	authorized(ms: number): void {
		this.guarded(() => this.listener?.authorized?.(ms));
	}

	/** @param startedMs when packing began, by `performance.now()` */
	packed(block: SignedBlock, startedMs: number): void {
		this.guarded(() => this.listener?.packed?.(block, performance.now() - startedMs));
	}

	/** @param startedMs when it was offered, by `performance.now()` */
	pushed(block: SignedBlock, isReorg: boolean, startedMs: number): void {
		this.guarded(() => this.listener?.pushed?.(block, isReorg, performance.now() - startedMs));
	}
}
