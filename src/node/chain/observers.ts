/** What a chain publishes about its head, branches and mempool. */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { BlockOrigin } from "../consensus/block-judgement.js";
import type { ChainError } from "../rules/errors.js";
import type { BlockChange } from "../state/state-database.js";

/** A block with its effects. */
export interface ExecutedBlock {
	readonly block: SignedBlock;
	readonly infos: readonly Readonly<TransactionInfo>[];
}

/** A block that became part of the chain. */
export interface CommittedBlock extends ExecutedBlock {
	readonly change: BlockChange;
}

/** A completed reorg. One that failed, leaving the chain as it was, is not published. */
export interface Reorg {
	/** Blocks that left the chain, newest first. */
	readonly reverted: readonly ExecutedBlock[];
	/** Their replacements, oldest first; none if a development chain goes back, which is published before it happens. */
	readonly committed: readonly CommittedBlock[];
}

/** The result of a push. */
export type PushOutcome =
	| { readonly kind: "known" }
	| { readonly kind: "branch" }
	| { readonly kind: "head"; readonly committed: readonly CommittedBlock[]; readonly isReorg: boolean };

/** Notified of changes once they are complete: the state is that of the new head. */
export interface ChainObserver {
	/** A block extends the former head. */
	committed?(block: CommittedBlock): void;
	/** The chain switched to another branch. */
	reorg?(reorg: Reorg): void;
	/** A block was accepted, on the chain or a side branch; published after its consequences. */
	accepted?(block: SignedBlock): void;
	/**
	 * A witness's block that would have extended the head was refused by a rule, during execution or for its
	 * slot. The head is still its parent, with or without the pending transactions.
	 */
	refused?(block: SignedBlock, error: ChainError): void;
	/** This node packed and signed a block; it is not executed yet, and no other node has it. */
	produced?(block: SignedBlock): void;
	/** A transaction entered the pool. */
	pending?(transaction: SignedTransaction, info: TransactionInfo): void;
	/** A transaction was tried for the pool and broke a rule; its writes are undone. */
	rejected?(transaction: SignedTransaction, error: unknown): void;
	/** Transactions wait for re-execution: a block, accepted or refused, or an empty slot undid the pending state. */
	waiting?(): void;
	/** All blocks and the state were replaced, on a development chain. */
	replaced?(): void;
}

/** Receives blocks one at a time. */
interface BlockHandlers {
	committed?(block: CommittedBlock, inReorg: boolean): void;
	reverted?(block: ExecutedBlock): void;
	/** A reorg begins; its blocks follow. */
	reorg?(): void;
}

/** An observer that receives a reorg as single blocks: reverted ones, newest first, then committed ones. */
export function eachBlock(handlers: BlockHandlers): Pick<ChainObserver, "committed" | "reorg"> {
	return {
		committed: (block) => handlers.committed?.(block, false),
		reorg: ({ reverted, committed }) => {
			if (committed.length > 0) handlers.reorg?.();
			for (const block of reverted) handlers.reverted?.(block);
			for (const block of committed) handlers.committed?.(block, true);
		},
	};
}

/** Handles what an observer throws. It must not throw. */
export type ObserverFailure = (error: unknown) => void;

/** Unhandled failures end the process, like any uncaught exception. */
const throwLater: ObserverFailure = (error) => {
	queueMicrotask(() => {
		throw error;
	});
};

/** Notifications that have exactly one source in a chain. */
type Notifications = {
	[K in keyof Required<ChainObserver>]: Parameters<Required<ChainObserver>[K]>;
};

/** All registered observers. An exception in one reaches neither the chain nor the others. */
export class Observers {
	private readonly all = new Set<ChainObserver>();
	private failures = 0;
	readonly timings = new ChainTimings((notify) => this.guarded(notify));

	constructor(private readonly onFailure: ObserverFailure = throwLater) {}

	/** How many times observers have thrown. */
	get failed(): number {
		return this.failures;
	}

	/** Registers an observer; the returned function removes it. */
	add(observer: ChainObserver): () => void {
		this.all.add(observer);
		return () => this.all.delete(observer);
	}

	/** Publishes to each observer in turn. */
	publish<K extends keyof Notifications>(kind: K, ...what: Notifications[K]): void {
		for (const observer of this.all) {
			const notify = observer[kind] as ((...what: Notifications[K]) => void) | undefined;
			if (notify) this.guarded(() => notify.apply(observer, what));
		}
	}

	private guarded(notify: () => void): void {
		try {
			notify();
		} catch (error) {
			this.failures++;
			this.onFailure(error);
		}
	}
}

/** What became of a block, and its origin. */
type Push = PushOutcome & { readonly origin: BlockOrigin };

/** What metrics measure. Transactions are timed only if one of the first two is present. */
export interface TimingListener {
	/** A transaction was executed, in a block or for the pool. */
	executed?(transaction: SignedTransaction, inBlock: boolean, ms: number): void;
	/** The signatures of a block's transactions were checked; an own block has nothing left to check. */
	authorized?(ms: number): void;
	/** A block of this node was packed. */
	packed?(block: SignedBlock, ms: number): void;
	/** A block that was offered joined the chain or a side branch. */
	pushed?(block: SignedBlock, push: Push, ms: number): void;
	/** A reorg failed, and the chain is as it was before. */
	reorgFailed?(): void;
}

/** How long the chain's work takes, and how much was wasted: for metrics only, nothing else may depend on it. */
class ChainTimings {
	private listener: TimingListener | undefined;

	/** @param guarded runs what must not reach the chain by what it throws */
	constructor(private readonly guarded: (notify: () => void) => void) {}

	/** Sends timings to a listener, replacing a former one; the returned function removes it. */
	listen(listener: TimingListener): () => void {
		this.listener = listener;
		return () => {
			if (this.listener === listener) this.listener = undefined;
		};
	}

	/** Whether single transactions are timed. */
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

	reorgFailed(): void {
		this.guarded(() => this.listener?.reorgFailed?.());
	}

	/** @param startedMs when it was offered, by `performance.now()` */
	pushed(block: SignedBlock, push: Push, startedMs: number): void {
		this.guarded(() => this.listener?.pushed?.(block, push, performance.now() - startedMs));
	}
}
