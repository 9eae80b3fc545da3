/**
 * Checking a proof that a transaction is in a final block (protocol/inclusion-proof §2), without a node, from the keys of witnesses
 * that the caller trusts.
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

/** A block by its header. */
export interface ProvenBlock {
	readonly id: Uint8Array;
	readonly number: bigint;
	readonly timestampMs: bigint;
}

/** What a proof proves. */
export interface Inclusion {
	readonly transaction: SignedTransaction;
	/** The block that holds it. */
	readonly block: ProvenBlock;
	/** The last block of the proof. */
	readonly last: ProvenBlock;
	/** Trusted witnesses that produced the block or one after it, at least {@link needed}. */
	readonly builders: readonly WitnessKey[];
	/** Two thirds of the trusted set, as the network counts them. */
	readonly needed: number;
	/** Witnesses among those of the headers that aren't in the trusted set, or sign with another key; they don't count. */
	readonly others: readonly WitnessKey[];
}

/** Nodes of the tree are hashes of two hashes: bytes of this length could be one of them. */
const NODE_BYTES = 64;

/**
 * Checks a proof. Nothing of it is believed: all that counts follows from hashes and from the signatures of the trusted set.
 * @param proof the text of the file, or its bytes
 * @param trusted witnesses as {@link readWitnessSet} or a checkpoint gives them
 * @throws {InclusionError} saying what is wrong with it
 */
export async function verifyInclusion(proof: string | Uint8Array, trusted: WitnessSet): Promise<Inclusion> {
	// One character a byte: what isn't ASCII can't be the proof's one form.
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
	// Signatures take long: only of those by whom it would be proven.
	if (read.headers.some(({ postQuantum }) => postQuantum)) await loadPostQuantum();
	checkSigners(read, headers);
	// Last: only what the witnesses took is as small as the network's rules have it, once it is decoded.
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

/** Each stands on the one before it. */
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

/** The keys of the proof are those by which its headers are signed, each witness named once, and none besides. */
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

/** A message from bytes that are exactly what it is written as. */
function canonical<T extends Message>(type: MessageType<T>, bytes: Uint8Array, what: string): Readonly<T> {
	try {
		const message = type.decode(bytes, budgetOfBytes(bytes.length));
		if (equalBytes(type.encode(message), bytes)) return message;
	} catch (error) {
		if (!(error instanceof DecodeError)) throw error;
	}
	throw new InclusionError(`${what} is not in the form in which it is hashed`);
}
