/** Input for rendering a trace: a finished execution of a transaction in a block, or of a call outside any. */

import { type Dialect, spell } from "../../../../protocol/dialect.js";
import type { TransactionInfo } from "../../../../protocol/messages.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import type { StateView } from "../../../state/view.js";
import type { TracePlace, Tracer } from "../../../tracing/trace-runner.js";
import { type ShownFacts, shownFacts } from "../contract-facts.js";

export interface Seen {
	readonly transaction: SignedTransaction;
	/** Undefined for a call outside any block. */
	readonly place: TracePlace | undefined;
	/** For a transaction in a block. */
	readonly info: Readonly<TransactionInfo> | undefined;
	/** Its result; undefined for a call that failed other than by reverting. */
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

/** A tracer that renders what it saw as pieces of one JSON text, which may be long once joined. */
export interface ShownTracer extends Pick<Tracer<unknown>, "observer" | "touched"> {
	show(seen: Seen): Iterable<string>;
}

/** Call data and amounts of a transaction without contract execution, in call form. */
export const plainFacts = ({ before, transaction, info }: Seen): ShownFacts =>
	shownFacts(before, transaction, info);

/** An error text in the node's dialect. */
export function errorText({ dialect }: Pick<Seen, "dialect">, message: string): string {
	return spell(message, dialect);
}
