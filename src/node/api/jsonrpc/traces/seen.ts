/** What a trace is shown from: an execution that has ended, of a transaction of a block or of a call that is in none. */

import { type Dialect, spell } from "../../../../protocol/dialect.js";
import type { TransactionInfo } from "../../../../protocol/messages.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import type { StateView } from "../../../state/view.js";
import type { TracePlace, Tracer } from "../../../tracing/trace-runner.js";
import { type ShownFacts, shownFacts } from "../contract-facts.js";

export interface Seen {
	readonly transaction: SignedTransaction;
	/** Undefined: a call that is in no block. */
	readonly place: TracePlace | undefined;
	/** Of a transaction of a block. */
	readonly info: Readonly<TransactionInfo> | undefined;
	/** What it came to; undefined: a call that failed otherwise than by reverting. */
	readonly outcome: Outcome | undefined;
	readonly before: StateView;
	readonly after: StateView;
	readonly dialect: Dialect;
}

interface Outcome {
	readonly succeeded: boolean;
	readonly energyUsed: bigint;
	readonly output: Uint8Array;
}

/** A tracer, and how what it saw is shown: pieces of one JSON text, which may be long when they are joined. */
export interface ShownTracer extends Pick<Tracer<unknown>, "observer" | "touched"> {
	show(seen: Seen): Iterable<string>;
}

/** Call data and amounts of a transaction that runs no contract, in the form of a call. */
export const plainFacts = ({ before, transaction, info }: Seen): ShownFacts =>
	shownFacts(before, transaction, info);

/** Text of an error in the node's spelling. */
export function errorText({ dialect }: Pick<Seen, "dialect">, message: string): string {
	return spell(message, dialect);
}
