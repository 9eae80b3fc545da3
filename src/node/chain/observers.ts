/** What a chain publishes of its head, its branches and its pool. */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { BlockOrigin } from "../consensus/block-judgement.js";
import type { ChainError } from "../rules/errors.js";
import type { BlockChange } from "../state/state-database.js";

/** A block with what it did. */
export interface ExecutedBlock {
	readonly block: SignedBlock;
	readonly infos: readonly Readonly<TransactionInfo>[];
}

/** A block that became part of the chain. */
export interface CommittedBlock extends ExecutedBlock {
	readonly change: BlockChange;
}

/** A change of branch. One that failed, so that the chain is as it was before, is not published. */
export interface Reorg {
	/** Blocks that are no longer part of the chain, newest first. */
	readonly reverted: readonly ExecutedBlock[];
	/** Those that are instead, oldest first; none where a development chain goes back, which is published before it does. */
	readonly committed: readonly CommittedBlock[];
}

/** What a push did. */
export type PushOutcome =
	| { readonly kind: "known" }
	| { readonly kind: "branch" }
	| { readonly kind: "head"; readonly committed: readonly CommittedBlock[]; readonly isReorg: boolean };

/** Notified of changes after they are complete: the state is that of the new head. */
export interface ChainObserver {
	/** A block follows the former head. */
	committed?(block: CommittedBlock): void;
	/** The chain has another branch now. */
	reorg?(reorg: Reorg): void;
	/** A block was accepted, on the chain or a side branch; published after what came of it. */
	accepted?(block: SignedBlock): void;
	/**
	 * A block of a witness was refused by a rule, executed or for its slot, where it would have followed the head: the head is still
	 * its parent, with or without what is pending.
	 */
	refused?(block: SignedBlock, error: ChainError): void;
	/** This node packed and signed a block; it is not executed yet, and no other node has it. */
	produced?(block: SignedBlock): void;
	/** A transaction entered the pool. */
	pending?(transaction: SignedTransaction, info: TransactionInfo): void;
	/** A transaction was tried for the pool and broke a rule; what it had written is undone. */
	rejected?(transaction: SignedTransaction, error: unknown): void;
	/** Transactions wait to be executed on the head: a block, taken or refused, or a slot without one undid what was pending. */
	waiting?(): void;
	/** All blocks and the state were replaced by others, on a development chain. */
	replaced?(): void;
}

/** Takes blocks one by one. */
interface BlockHandlers {
	committed?(block: CommittedBlock, inReorg: boolean): void;
	reverted?(block: ExecutedBlock): void;
	/** A reorg to another branch begins: its blocks follow. */
	reorg?(): void;
}

/** An observer that takes a reorg as single blocks: those that it reverts, newest first, then those that it commits. */
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

/** Where nothing handles failures they end the process, as any exception that nothing catches. */
const throwLater: ObserverFailure = (error) => {
	queueMicrotask(() => {
		throw error;
	});
};

/** Notifications of which a chain has exactly one source. */
type Notifications = {
	[K in keyof Required<ChainObserver>]: Parameters<Required<ChainObserver>[K]>;
};

/** All registered observers. What one of them throws reaches neither the chain nor the others. */
export class Observers {
	private readonly all = new Set<ChainObserver>();
	private failures = 0;
	readonly timings = new ChainTimings((notify) => this.guarded(notify));

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

/** What became of a block, and where it came from. */
type Push = PushOutcome & { readonly origin: BlockOrigin };

/** What metrics measure. Transactions are timed only where one of the first two is there. */
export interface TimingListener {
	/** A transaction was executed, in a block or for the pool. */
	executed?(transaction: SignedTransaction, inBlock: boolean, ms: number): void;
	/** The signatures of a block's transactions were checked; of an own block there is nothing to check any more. */
	authorized?(ms: number): void;
	/** A block of this node was packed. */
	packed?(block: SignedBlock, ms: number): void;
	/** A block that was offered joined the chain or a side branch. */
	pushed?(block: SignedBlock, push: Push, ms: number): void;
	/** A change of branch failed, and the chain is as it was before. */
	reorgFailed?(): void;
}

/** How long the chain's work takes, and what of it was in vain: for metrics alone, nothing else may depend on it. */
class ChainTimings {
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

	reorgFailed(): void {
		this.guarded(() => this.listener?.reorgFailed?.());
	}

	/** @param startedMs when it was offered, by `performance.now()` */
	pushed(block: SignedBlock, push: Push, startedMs: number): void {
		this.guarded(() => this.listener?.pushed?.(block, push, performance.now() - startedMs));
	}
}
