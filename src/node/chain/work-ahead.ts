/** What other threads compute before a block needs it: signers and proofs. */

import type { PQAuthSig } from "../../protocol/messages.js";
import { keyWeight } from "../../protocol/permission.js";
import { addressOfPostQuantumKey, postQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { isSchemeAllowed, isWellFormed, postQuantumOf } from "../rules/post-quantum.js";
import { hasProofs } from "../shielded/proof-questions.js";
import type { PrepareProofs } from "../shielded/proof-queue.js";
import { asksForProofs } from "../state/note-trees.js";
import { authorize, signingPermission } from "./authorization.js";
import type { OpenChain } from "./open-chain.js";

// Verifying the post-quantum signatures of an incoming transaction before it is executed (protocol/post-quantum §5).

/**
 * Verifies a transaction's signatures on another thread and stores the verdicts in it.
 * @param source who sent it
 */
export type VerifyAhead = (transaction: SignedTransaction, source: string) => Promise<void>;

/** Whether verifying a transaction's signatures on another thread pays off: it has slow ones. */
export const hasSlowSignatures = (
	transaction: SignedTransaction,
	{ rules }: Pick<OpenChain, "rules">,
): boolean => postQuantumOf(transaction, rules).length > 0;

/**
 * Starts verifying the post-quantum signatures of a transaction. Only keys that may sign for the account are
 * worth the time: anyone can forge signatures of others.
 * @returns what ends when the chain will find the verdicts; undefined: there is nothing to wait for
 */
export function verifySent(
	{ chain, rules }: Pick<OpenChain, "chain" | "rules">,
	verify: VerifyAhead,
	transaction: SignedTransaction,
	source: string,
): Promise<void> | undefined {
	const entries = postQuantumOf(transaction, rules);
	if (entries.length === 0 || !transaction.contract) return undefined;
	const permission = signingPermission(chain.state, transaction);
	if (!permission || entries.length > permission.keys.length) return undefined;
	// The chain verifies in order, up to the first that can't count: if that is the very first, it verifies none.
	const [first] = entries as readonly [Readonly<PQAuthSig>];
	const scheme = postQuantumScheme(first.scheme);
	if (!scheme || !isWellFormed(first) || !isSchemeAllowed(chain.state.properties, scheme)) return undefined;
	const mayCount = keyWeight(permission, addressOfPostQuantumKey(first.public_key)) !== 0n;
	return mayCount ? verify(transaction, source) : undefined;
}

// Checking the shielded proofs of an incoming transaction before it is executed (protocol/shielded §6.3).

/**
 * Starts checking the proofs of a client's transaction. Signatures are checked first: they cost a hundredth
 * of a proof, and an unsigned transaction is refused before its proofs matter.
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
		// It is refused for this when it is executed.
		return undefined;
	}
	return prepare([transaction], "transaction");
}

/** Like {@link prepareSent}, for a call that is only simulated and signed by nobody. */
export function prepareAsked(
	{ chain }: Pick<OpenChain, "chain">,
	prepare: PrepareProofs,
	transaction: SignedTransaction,
): Promise<void> | undefined {
	return asksForProofs(chain.state) ? prepare([transaction], "transaction") : undefined;
}
