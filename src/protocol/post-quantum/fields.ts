/**
 * Post-quantum signatures as messages of the test network Nile carry them, in fields of their own (protocol/post-quantum §1).
 * Elsewhere these fields are unknown ones, and the history of the main network has other bytes under one of their numbers. So they
 * are decoded as unknown fields on every network; a node of Nile brings each message from outside into the form that a decoder which
 * knows the fields gives it (`canonicalOf…`), and reads them where it asks for them.
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
 * Signatures of a transaction that are read at all: a few more than the rules count. Two bytes make an empty one, and each becomes an
 * object. Those of a header are merged as they are read.
 */
export const MAX_POST_QUANTUM_ENTRIES = 64;
const OF_TRANSACTION: DecodeBudget = { ...ANY_BUDGET, items: MAX_POST_QUANTUM_ENTRIES };

/** What Nile reads in the unknown fields of a message, by the message's name, and within which budget. */
const READ_ON_NILE = new Map<string, readonly [type: MessageType<Message>, budget: DecodeBudget]>([
	["protocol.Transaction", [PostQuantumOfTransaction as unknown as MessageType<Message>, OF_TRANSACTION]],
	["protocol.BlockHeader", [PostQuantumOfHeader as unknown as MessageType<Message>, ANY_BUDGET]],
	["protocol.HelloMessage", [PostQuantumOfHello as unknown as MessageType<Message>, ANY_BUDGET]],
]);

/** The fields of a message as unknown ones of another; undefined: it has none. */
function asUnknown<T extends Message>(type: MessageType<T>, message: Readonly<T>): Unknown {
	const bytes = type.encode(message);
	if (bytes.length === 0) return undefined;
	const fields = new UnknownFields();
	fields.append(bytes, 0, bytes.length);
	return fields;
}

/**
 * The unknown fields of a message as Nile's nodes write them again.
 * @param keepsOthers whether fields that Nile doesn't know either stay
 * @returns the same object where nothing changes; undefined: none are left
 * @throws {DecodeError} where a signature's field holds something else, or there are more than the budget has
 */
function canonicalFields<T extends Message>(
	type: MessageType<T>,
	unknown: Unknown,
	keepsOthers: boolean,
	budget: DecodeBudget,
): Unknown {
	if (unknown === undefined) return undefined;
	// PERF: of what came, not of its canonical form, which costs as much as there is before the budget is looked at.
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

/** What a transaction carries. @throws {DecodeError} if the fields hold something else, or are more than {@link MAX_POST_QUANTUM_ENTRIES} */
export const signaturesOfTransaction = ({ $unknown }: Readonly<Message>): readonly Readonly<PQAuthSig>[] =>
	$unknown ? PostQuantumOfTransaction.decode($unknown.canonical, OF_TRANSACTION).pq_auth_sig : [];

/** What a block's header carries. @throws {DecodeError} as for transactions */
export const signatureOfHeader = ({ $unknown }: Readonly<Message>): Readonly<PQAuthSig> | undefined =>
	$unknown && PostQuantumOfHeader.decode($unknown.canonical).pq_auth_sig;

/** What a greeting of peers carries. @throws {DecodeError} as for transactions */
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
 * Whether all unknown fields of a message are ones that Nile knows, in their canonical form and as often as they may be.
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
