/** Builds proofs from a block's transactions and the headers from its own on. */

import { toKey } from "../bytes.js";
import { sha256 } from "../hash.js";
import { type BlockHeader, BlockHeaderRaw, PQAuthSig } from "../messages.js";
import { signatureOfHeader } from "../post-quantum/fields.js";
import { merklePath, type PathStep } from "./merkle-path.js";
import { type InclusionProof, type ProofHeader, signatureInOneForm, type WitnessKey } from "./proof.js";

/** A header with the address that signed it. */
export interface SignedHeader extends WitnessKey {
	readonly header: ProofHeader;
}

/**
 * A header as in proofs, without signature variants that the network ignores ({@link signatureInOneForm}).
 * @throws {DecodeError} if the post-quantum signature field is malformed
 */
export function proofHeader(header: Readonly<BlockHeader>): ProofHeader {
	const raw = BlockHeaderRaw.encode(header.raw_data ?? new BlockHeaderRaw());
	const postQuantum = signatureOfHeader(header);
	if (postQuantum && header.witness_signature.length === 0)
		return { raw, postQuantum: PQAuthSig.encode(postQuantum) };
	return { raw, signature: signatureInOneForm(header.witness_signature) };
}

/**
 * @param transactions all serialised transactions of the block
 * @param index of the one to prove
 * @param headers of the block and its successors
 */
export function makeProof(
	transactions: readonly Uint8Array[],
	index: number,
	headers: readonly SignedHeader[],
): InclusionProof {
	const path = merklePath(transactions.map(sha256), index);
	return joinProof(transactions[index] as Uint8Array, path, headers);
}

/** Like {@link makeProof}, with a known Merkle path. */
export function joinProof(
	transaction: Uint8Array,
	path: readonly PathStep[],
	headers: readonly SignedHeader[],
): InclusionProof {
	const witnesses = new Map<string, WitnessKey>();
	for (const { address, key } of headers) {
		if (!witnesses.has(toKey(address))) witnesses.set(toKey(address), { address, key });
	}
	return {
		transaction,
		path,
		witnesses: [...witnesses.values()],
		headers: headers.map(({ header }) => header),
	};
}
