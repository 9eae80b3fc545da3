/** What a chain tells others of its head, its pool and its work. */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { BlockChange } from "../state/state-database.js";

/** What a block did when it became the head. */
export interface AppliedBlock {
	readonly block: SignedBlock;
	readonly infos: readonly TransactionInfo[];
	readonly change: BlockChange;
}

/** A block that left the chain, with what it had done. */
export type ErasedBlock = Pick<AppliedBlock, "block" | "infos">;

/** Notified of changes of the head, after they are complete. */
export interface ChainObserver {
	/** A block is part of the chain now. `switching`: it came with a move to another branch, which is complete. */
	applied?(applied: AppliedBlock, switching: boolean): void;
	/**
	 * A block is no longer part of the chain. The blocks that a move to another branch leaves are told newest first,
	 * then those that it brings; a move that failed is not told at all.
	 */
	erased?(erased: ErasedBlock): void;
	/** The chain moved to another branch; told before its blocks are. Both lists in the order in which they are told. */
	switched?(erased: readonly ErasedBlock[], applied: readonly AppliedBlock[]): void;
	/** All blocks and the state were replaced by others, on a development chain. */
	replaced?(): void;
	/** A transaction entered the pool. */
	pending?(transaction: SignedTransaction, info: TransactionInfo): void;
	/** A transaction was tried for the pool and broke a rule; what it had written is undone. */
	refused?(transaction: SignedTransaction, error: unknown): void;
	/** A transaction was executed, in a block or for the pool. */
	executed?(transaction: SignedTransaction, inBlock: boolean, ms: number): void;
	/** The signatures of a client's transaction were checked. */
	authorized?(ms: number): void;
	/** A block was packed, or one that was offered was dealt with. */
	timed?(step: "packed" | "pushed", block: SignedBlock, ms: number): void;
}

/** Handles what an observer throws. It must not throw. */
export type ObserverFailure = (error: unknown) => void;

/** Where nobody handles failures they end the process, as any exception that nothing catches. */
const throwLater: ObserverFailure = (error) => {
	queueMicrotask(() => {
		throw error;
	});
};

/** All registered observers. What one of them throws reaches neither the chain nor the others. */
export class Observers {
	private readonly all = new Set<ChainObserver>();
	private failures = 0;

	constructor(private readonly onFailure: ObserverFailure = throwLater) {}

	/** How often an observer has thrown. */
	get failed(): number {
		return this.failures;
	}

	/** Registers an observer; the returned function removes it. */
	add(observer: ChainObserver): () => void {
		this.all.add(observer);
		return () => this.all.delete(observer);
	}

	/** Whether the times of single transactions are of use to anyone. */
	get isWatched(): boolean {
		for (const observer of this.all) if (observer.executed ?? observer.authorized) return true;
		return false;
	}

	private each(notify: (observer: ChainObserver) => void): void {
		for (const observer of this.all) this.guarded(() => notify(observer));
	}

	private guarded(notify: () => void): void {
		try {
			notify();
		} catch (error) {
			this.failures++;
			this.onFailure(error);
		}
	}

	executed(transaction: SignedTransaction, inBlock: boolean, ms: number): void {
		this.each((observer) => observer.executed?.(transaction, inBlock, ms));
	}

	authorized(ms: number): void {
		this.each((observer) => observer.authorized?.(ms));
	}

	/** @param startedMs when the step began, by `performance.now()` */
	timed(step: "packed" | "pushed", block: SignedBlock, startedMs: number): void {
		this.each((observer) => observer.timed?.(step, block, performance.now() - startedMs));
	}

	/** Each observer gets the whole move before the next one does; a block that it fails at doesn't keep the others from it. */
	moved(erased: readonly ErasedBlock[], applied: readonly AppliedBlock[], switching: boolean): void {
		for (const observer of this.all) {
			if (switching) this.guarded(() => observer.switched?.(erased, applied));
			for (const block of erased) this.guarded(() => observer.erased?.(block));
			for (const block of applied) this.guarded(() => observer.applied?.(block, switching));
		}
	}

	replaced(): void {
		this.each((observer) => observer.replaced?.());
	}

	pending(transaction: SignedTransaction, info: TransactionInfo): void {
		this.each((observer) => observer.pending?.(transaction, info));
	}

	refused(transaction: SignedTransaction, error: unknown): void {
		this.each((observer) => observer.refused?.(transaction, error));
	}
}
