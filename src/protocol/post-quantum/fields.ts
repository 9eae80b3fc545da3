/**
 * Post-quantum signatures in messages of the Nile test network, in fields of their own (protocol/post-quantum
 * §1). Other networks don't know these fields, and the main network's history has other data under one of
 * their numbers. So they are decoded as unknown fields everywhere; a Nile node normalises incoming messages
 * to what a decoder knowing the fields would produce (`canonicalOf…`), and decodes the fields on demand.
 */

import { ANY_BUDGET, type DecodeBudget } from "../codec/budget.js";
import type { Message, MessageType } from "../codec/descriptor.js";
import { DecodeError } from "../codec/reader.js";
import { hasUnknownFields, UnknownFields } from "../codec/unknown-fields.js";
import {
	PostQuantumOfHeader,
	PostQuantumOfHello,
	PostQuantumOfTransaction,
	type PQAuthSig,
} from "../messages.js";

type Unknown = UnknownFields | undefined;

/**
 * Maximum signatures read per transaction, a few more than the rules count: an empty one takes two bytes but
 * becomes an object. Those of a header are merged while decoding.
 */
export const MAX_POST_QUANTUM_ENTRIES = 64;
const OF_TRANSACTION: DecodeBudget = { ...ANY_BUDGET, items: MAX_POST_QUANTUM_ENTRIES };

/** Fields that Nile knows, by message name, with their decoding budget. */
const READ_ON_NILE = new Map<string, readonly [type: MessageType<Message>, budget: DecodeBudget]>([
	["protocol.Transaction", [PostQuantumOfTransaction as unknown as MessageType<Message>, OF_TRANSACTION]],
	["protocol.BlockHeader", [PostQuantumOfHeader as unknown as MessageType<Message>, ANY_BUDGET]],
	["protocol.HelloMessage", [PostQuantumOfHello as unknown as MessageType<Message>, ANY_BUDGET]],
]);

/** Re-encodes a message as unknown fields of another; undefined if empty. */
function asUnknown<T extends Message>(type: MessageType<T>, message: Readonly<T>): Unknown {
	const bytes = type.encode(message);
	if (bytes.length === 0) return undefined;
	const fields = new UnknownFields();
	fields.append(bytes, 0, bytes.length);
	return fields;
}

/**
 * The unknown fields of a message as Nile's nodes re-encode them.
 * @param keepsOthers whether fields unknown to Nile too are kept
 * @returns the same object if unchanged; undefined if none are left
 * @throws {DecodeError} if a signature field is malformed, or there are more than the budget allows
 */
function canonicalFields<T extends Message>(
	type: MessageType<T>,
	unknown: Unknown,
	keepsOthers: boolean,
	budget: DecodeBudget,
): Unknown {
	if (unknown === undefined) return undefined;
	// PERF: decodes the received form; computing the canonical one is expensive and not bounded by the budget.
	const read = type.decode(unknown.received, budget);
	if (!keepsOthers) read.$unknown = undefined;
	const kept = asUnknown(type, read);
	return kept && Buffer.compare(kept.canonical, unknown.canonical) === 0 ? unknown : kept;
}

/** {@link canonicalFields} of a transaction. */
export const canonicalOfTransaction = (unknown: Unknown, keepsOthers: boolean): Unknown =>
	canonicalFields(PostQuantumOfTransaction, unknown, keepsOthers, OF_TRANSACTION);

/** {@link canonicalFields} of a block's header. */
export const canonicalOfHeader = (unknown: Unknown, keepsOthers: boolean): Unknown =>
	canonicalFields(PostQuantumOfHeader, unknown, keepsOthers, ANY_BUDGET);

/** A transaction's signatures. @throws {DecodeError} if malformed or more than the maximum */
export const signaturesOfTransaction = ({ $unknown }: Readonly<Message>): readonly Readonly<PQAuthSig>[] =>
	$unknown ? PostQuantumOfTransaction.decode($unknown.canonical, OF_TRANSACTION).pq_auth_sig : [];

/** A block header's signature. @throws {DecodeError} as for transactions */
export const signatureOfHeader = ({ $unknown }: Readonly<Message>): Readonly<PQAuthSig> | undefined =>
	$unknown && PostQuantumOfHeader.decode($unknown.canonical).pq_auth_sig;

/** A peer greeting's signature. @throws {DecodeError} as for transactions */
export const signatureOfHello = ({ $unknown }: Readonly<Message>): Readonly<PQAuthSig> | undefined =>
	$unknown && PostQuantumOfHello.decode($unknown.canonical).pq_auth_sig;

/** As unknown fields of a transaction; undefined for none. */
export const transactionFieldsOf = (signatures: readonly Readonly<PQAuthSig>[]): Unknown =>
	asUnknown(PostQuantumOfTransaction, PostQuantumOfTransaction.create({ pq_auth_sig: signatures }));

/** As unknown field of a block's header. */
export const headerFieldOf = (signature: Readonly<PQAuthSig>): Unknown =>
	asUnknown(PostQuantumOfHeader, PostQuantumOfHeader.create({ pq_auth_sig: signature }));

/** As unknown field of a greeting. */
export const helloFieldOf = (signature: Readonly<PQAuthSig>): Unknown =>
	asUnknown(PostQuantumOfHello, PostQuantumOfHello.create({ pq_auth_sig: signature }));

/**
 * Whether all unknown fields of a message are known to Nile, in canonical form and within the budget.
 * @param typeName full name of the message
 */
export function isKnownOnNile(typeName: string, unknown: UnknownFields): boolean {
	const [type, budget] = READ_ON_NILE.get(typeName) ?? [];
	if (!type) return false;
	try {
		const read = type.decode(unknown.canonical, budget);
		return !hasUnknownFields(type, read) && type.size(read) === unknown.canonical.length;
	} catch (error) {
		if (error instanceof DecodeError) return false;
		throw error;
	}
}
