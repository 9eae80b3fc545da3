/**
 * Which post-quantum signatures count (protocol/post-quantum §§5 to 7): those of the test network Nile, by the schemes that its
 * parameters 1000 and 1001 allow. On other networks nothing carries any.
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

/** Refusal of a transaction that carries such signatures where no scheme is allowed. */
export const NO_SCHEME = "pq_auth_sig not allowed: no post-quantum scheme is activated";

/** The post-quantum signatures of a transaction, where the network has them. */
export const postQuantumOf = (
	transaction: SignedTransaction,
	{ network }: Network,
): readonly Readonly<PQAuthSig>[] => (network === "nile" ? transaction.postQuantum : NONE);

/** How many signatures of both kinds a transaction has. */
export const signatureCount = (transaction: SignedTransaction, rules: Network): number =>
	transaction.message.signature.length + postQuantumOf(transaction, rules).length;

/** Whether signatures of a scheme count. */
export const isSchemeAllowed = (properties: Properties, { property }: PostQuantumScheme): boolean =>
	properties.on(property);

/** Whether those of any scheme count. */
export const isAnySchemeAllowed = (properties: Properties): boolean =>
	postQuantumSchemes.some((scheme) => isSchemeAllowed(properties, scheme));

/** Whether an entry could be a signature of one of the schemes, allowed or not: what may come from outside at all. */
export function isWellFormed(entry: Readonly<PQAuthSig>): boolean {
	const scheme = postQuantumScheme(entry.scheme);
	return entry.$unknown === undefined && scheme !== undefined && hasLengthsOf(scheme, entry);
}

/** Bytes that the post-quantum signatures of a transaction are counted with in estimates and in the size of creations. */
export function countedBytes(transaction: SignedTransaction, rules: Network): number {
	let bytes = 0;
	for (const { scheme } of postQuantumOf(transaction, rules))
		bytes += postQuantumScheme(scheme)?.entryBytes ?? 0;
	return bytes;
}
