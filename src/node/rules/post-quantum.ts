/**
 * Post-quantum signature admission (protocol/post-quantum §§5 to 7): on the test network Nile, by the schemes
 * that parameters 1000 and 1001 allow. Other networks have none.
 */

import type { PQAuthSig } from "../../protocol/messages.js";
import {
	hasLengthsOf,
	type PostQuantumScheme,
	postQuantumScheme,
	postQuantumSchemes,
} from "../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { Properties } from "../state/properties.js";
import type { ChainRules } from "./chain-rules.js";

interface Network {
	readonly network?: ChainRules["network"] | undefined;
}

const NONE: readonly Readonly<PQAuthSig>[] = [];

/** Refusal of a transaction with such signatures while no scheme is allowed. */
export const NO_SCHEME = "pq_auth_sig not allowed: no post-quantum scheme is activated";

/** A transaction's post-quantum signatures, if the network has them. */
export const postQuantumOf = (
	transaction: SignedTransaction,
	{ network }: Network,
): readonly Readonly<PQAuthSig>[] => (network === "nile" ? transaction.postQuantum : NONE);

/** The number of signatures of both kinds. */
export const signatureCount = (transaction: SignedTransaction, rules: Network): number =>
	transaction.message.signature.length + postQuantumOf(transaction, rules).length;

/** Whether signatures of a scheme are valid on this chain. */
export const isSchemeAllowed = (properties: Properties, { property }: PostQuantumScheme): boolean =>
	properties.on(property);

/** Whether any scheme is allowed. */
export const isAnySchemeAllowed = (properties: Properties): boolean =>
	postQuantumSchemes.some((scheme) => isSchemeAllowed(properties, scheme));

/** Whether an entry has the form of some scheme, allowed or not: the check for input from outside. */
export function isWellFormed(entry: Readonly<PQAuthSig>): boolean {
	const scheme = postQuantumScheme(entry.scheme);
	return entry.$unknown === undefined && scheme !== undefined && hasLengthsOf(scheme, entry);
}

/** Bytes of a transaction's post-quantum signatures in estimates and in creation sizes. */
export function countedBytes(transaction: SignedTransaction, rules: Network): number {
	let bytes = 0;
	for (const { scheme } of postQuantumOf(transaction, rules))
		bytes += postQuantumScheme(scheme)?.entryBytes ?? 0;
	return bytes;
}
