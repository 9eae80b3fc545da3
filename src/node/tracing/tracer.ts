/** What a tracer is: it watches one execution and then says what it saw. */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { StateView } from "../state/view.js";
import type { ExecutionObserver } from "../vm/execution-observer.js";
import type { TouchedState } from "./touched-state.js";

/** A transaction of a block, executed again. */
export interface TracedTransaction {
	readonly block: SignedBlock;
	/** In the block. */
	readonly position: number;
	readonly transaction: SignedTransaction;
	/** What it came to this time; equal to what was recorded. */
	readonly info: TransactionInfo;
	/** The state before it and after it; they hold during the call that they are given to. */
	readonly before: StateView;
	readonly after: StateView;
}

export interface Tracer<T> {
	readonly observer: ExecutionObserver;
	/** Gathers which entries of the state were touched; undefined: nobody asks. */
	readonly touched?: TouchedState | undefined;
	/** What it saw of a transaction that has just been executed. */
	result(traced: TracedTransaction): T;
}
