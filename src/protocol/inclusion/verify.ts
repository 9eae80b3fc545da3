/**
 * Verifies without a node that a transaction is in a final block (protocol/inclusion-proof §2), given the
 * keys of trusted witnesses.
 */

import { blockId } from "../block.js";
import { equalBytes, toKey } from "../bytes.js";
import { budgetOfBytes } from "../codec/budget.js";
import type { Message, MessageType } from "../codec/descriptor.js";
import { DecodeError } from "../codec/reader.js";
import { sha256 } from "../hash.js";
import { BlockHeaderRaw, PQAuthSig, Transaction } from "../messages.js";
import { isPostQuantumSignature, loadPostQuantum } from "../post-quantum/algorithms.js";
import { addressOfPostQuantumKey } from "../post-quantum/schemes.js";
import { recoverAddress, SignatureError } from "../signature.js";
import { witnessesForFinality } from "../timing.js";
import { SignedTransaction } from "../transaction.js";
import { rootOfPath } from "./merkle-path.js";
import {
	type InclusionProof,
	MAX_PROOF_LENGTH,
	type ProofHeader,
	readProof,
	signatureInOneForm,
	type WitnessKey,
} from "./proof.js";
import { InclusionError, type WitnessSet } from "./witness-set.js";

/** A block identified by its header. */
export interface ProvenBlock {
	readonly id: Uint8Array;
	readonly number: bigint;
	readonly timestampMs: bigint;
}

/** The result of a verified proof. */
export interface Inclusion {
	readonly transaction: SignedTransaction;
	/** The block that holds it. */
	readonly block: ProvenBlock;
	/** The last block of the proof. */
	readonly last: ProvenBlock;
	/** Trusted witnesses that produced the block or a later one; at least {@link needed}. */
	readonly builders: readonly WitnessKey[];
	/** Two thirds of the trusted set, by the network's rounding. */
	readonly needed: number;
	/** Signers that are not in the trusted set, or not with that key; they don't count. */
	readonly others: readonly WitnessKey[];
}

/** Inner nodes hash two hashes: bytes of this length could be passed off as a transaction. */
const NODE_BYTES = 64;

/**
 * Verifies a proof. Nothing in it is trusted: only hashes and signatures of the trusted set count.
 * @param proof the text of the file, or its bytes
 * @param trusted witnesses from {@link readWitnessSet} or a checkpoint
 * @throws {InclusionError} naming the defect
 */
export async function verifyInclusion(proof: string | Uint8Array, trusted: WitnessSet): Promise<Inclusion> {
	// One character per byte: a non-ASCII text is never canonical.
	if (proof.length > MAX_PROOF_LENGTH)
		throw new InclusionError(`the proof is longer than ${MAX_PROOF_LENGTH} bytes`);
	const read = readProof(typeof proof === "string" ? proof : Buffer.from(proof).toString("latin1"));
	const headers = linkedHeaders(read.headers);
	const [first] = headers as [LinkedHeader];
	if (read.transaction.length <= NODE_BYTES)
		throw new InclusionError("the transaction is too short to be one");
	if (!equalBytes(rootOfPath(sha256(read.transaction), read.path), first.raw.txTrieRoot))
		throw new InclusionError("the path doesn't lead to the root in the block's header");
	const keys = new Map(trusted.witnesses.map(({ address, key }) => [toKey(address), key]));
	const isTrusted = ({ address, key }: WitnessKey): boolean =>
		equalBytes(keys.get(toKey(address)) ?? new Uint8Array(0), key);
	const builders = read.witnesses.filter(isTrusted);
	const needed = witnessesForFinality(trusted.witnesses.length);
	if (trusted.witnesses.length === 0 || builders.length < needed) {
		throw new InclusionError(
			`not proven: ${builders.length} of the ${trusted.witnesses.length} trusted witnesses built on the block, ${needed} are needed`,
		);
	}
	// Signatures are expensive, so they are checked only once enough witnesses are named.
	if (read.headers.some(({ postQuantum }) => postQuantum)) await loadPostQuantum();
	checkSigners(read, headers);
	// Decoded last: only data the witnesses signed is known to be within the network's limits.
	const transaction = canonical(Transaction, read.transaction, "the transaction");
	const others = read.witnesses.filter((one) => !isTrusted(one));
	return {
		transaction: new SignedTransaction(transaction),
		block: blockOf(first),
		last: blockOf(headers.at(-1) as LinkedHeader),
		builders,
		needed,
		others,
	};
}

interface LinkedHeader {
	readonly raw: Readonly<BlockHeaderRaw>;
	readonly hash: Uint8Array;
	readonly id: Uint8Array;
}

const blockOf = ({ id, raw }: LinkedHeader): ProvenBlock => ({
	id,
	number: raw.number,
	timestampMs: raw.timestamp,
});

/** Each header must refer to its predecessor. */
function linkedHeaders(headers: readonly ProofHeader[]): readonly LinkedHeader[] {
	const linked: LinkedHeader[] = [];
	for (const { raw: bytes } of headers) {
		const raw = canonical(BlockHeaderRaw, bytes, "a header");
		const hash = sha256(bytes);
		const before = linked.at(-1);
		const follows =
			!before ||
			(raw.number === before.raw.number + 1n &&
				raw.timestamp > before.raw.timestamp &&
				equalBytes(raw.parentHash, before.id));
		if (raw.number < 1n || !follows)
			throw new InclusionError(`header ${raw.number} doesn't follow the one before it`);
		linked.push({ raw, hash, id: blockId(raw.number, hash) });
	}
	return linked;
}

/** The listed keys must be exactly the header signers, each witness once. */
function checkSigners({ headers, witnesses }: InclusionProof, linked: readonly LinkedHeader[]): void {
	const keys = new Map<string, Uint8Array>();
	for (const [index, { raw, hash }] of linked.entries()) {
		const signer = headerSigner(headers[index] as ProofHeader, hash, raw.number);
		const place = keys.size;
		const witness = toKey(raw.witness_address);
		const known = keys.get(witness);
		const named = known ? undefined : witnesses[place];
		const key = known ?? (named && equalBytes(named.address, raw.witness_address) ? named.key : undefined);
		if (!key || !equalBytes(key, signer))
			throw new InclusionError(`header ${raw.number} is not signed by the key that the proof names`);
		keys.set(witness, key);
	}
	if (keys.size !== witnesses.length)
		throw new InclusionError("the proof names a witness that signed none of its headers");
}

/** The address of the key that signed a header. */
export function headerSigner(
	{ signature, postQuantum }: ProofHeader,
	hash: Uint8Array,
	number: bigint,
): Uint8Array {
	if (postQuantum) {
		const entry = canonical(PQAuthSig, postQuantum, "a signature");
		if (entry.$unknown || !isPostQuantumSignature(hash, entry))
			throw new InclusionError(`the signature of header ${number} is wrong`);
		return addressOfPostQuantumKey(entry.public_key);
	}
	if (!signature || !equalBytes(signature, signatureInOneForm(signature)))
		throw new InclusionError(`the signature of header ${number} is not in its one form`);
	try {
		return recoverAddress(hash, signature);
	} catch (error) {
		if (error instanceof SignatureError)
			throw new InclusionError(`the signature of header ${number} is wrong`);
		throw error;
	}
}

/** Decodes a message that must be in canonical form. */
function canonical<T extends Message>(type: MessageType<T>, bytes: Uint8Array, what: string): Readonly<T> {
	try {
		const message = type.decode(bytes, budgetOfBytes(bytes.length));
		if (equalBytes(type.encode(message), bytes)) return message;
	} catch (error) {
		if (!(error instanceof DecodeError)) throw error;
	}
	throw new InclusionError(`${what} is not in the form in which it is hashed`);
}
