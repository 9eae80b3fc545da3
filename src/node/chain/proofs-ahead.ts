/** Checking the shielded proofs of a transaction that comes in, before it is executed (protocol/shielded §6.3). */

import type { SignedTransaction } from "../../protocol/transaction.js";
import { hasProofs } from "../shielded/proof-questions.js";
import type { PrepareProofs } from "../shielded/proof-queue.js";
import { asksForProofs } from "../state/note-trees.js";
import { authorize } from "./authorization.js";
import type { OpenChain } from "./open-chain.js";

/**
 * Begins checking the proofs of a transaction that a client sends. Its signatures are looked at first: they cost a hundredth of a
 * proof, and a transaction that isn't signed is refused before anybody asks for its proofs.
 * @returns what ends when execution will find the results; undefined if there is nothing to wait for
 */
export function prepareSent(
	{ chain, rules, forks }: Pick<OpenChain, "chain" | "rules" | "forks">,
	prepare: PrepareProofs,
	transaction: SignedTransaction,
): Promise<void> | undefined {
	if (!hasProofs(transaction) || !asksForProofs(chain.state)) return undefined;
	try {
		authorize({ state: chain.state, rules, forks }, transaction, rules.development);
	} catch {
		// It is refused for this when its turn comes.
		return undefined;
	}
	return prepare([transaction], "transaction");
}

/** As {@link prepareSent}, of a call that only asks: nobody has signed it. */
export function prepareAsked(
	{ chain }: Pick<OpenChain, "chain">,
	prepare: PrepareProofs,
	transaction: SignedTransaction,
): Promise<void> | undefined {
	return asksForProofs(chain.state) ? prepare([transaction], "transaction") : undefined;
}
