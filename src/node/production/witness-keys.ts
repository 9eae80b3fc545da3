/** The keys with which this node signs blocks (protocol/consensus §3.3). */

import { equalBytes } from "../../protocol/bytes.js";
import { type PostQuantumKeys, postQuantumAlgorithm } from "../../protocol/post-quantum/algorithms.js";
import { addressOfPostQuantumKey, type PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { addressOfPrivateKey, signBlock } from "../../protocol/signature.js";
import type { Producer } from "../chain/chain.js";

/** A producer that signs with a private key of 32 bytes; the key stays in the closure. */
export function producerWithKey(privateKey: Uint8Array, witness?: Uint8Array): Producer {
	const signer = addressOfPrivateKey(privateKey);
	return { witness: witness ?? signer, signer, sign: (hash) => signBlock(hash, privateKey) };
}

/**
 * A producer that signs with a post-quantum key, whose library must be loaded; the private key stays in the closure.
 * @param random of the signatures; fresh without it
 */
export function producerWithPostQuantumKey(
	scheme: PostQuantumScheme,
	{ publicKey, privateKey }: PostQuantumKeys,
	{
		witness,
		random,
	}: { readonly witness?: Uint8Array | undefined; readonly random?: (length: number) => Uint8Array } = {},
): Producer {
	const signer = addressOfPostQuantumKey(publicKey);
	return {
		witness: witness ?? signer,
		signer,
		sign: (hash) => postQuantumAlgorithm(scheme).sign(hash, privateKey, random),
		postQuantum: { scheme, publicKey },
	};
}

/** The producer of a witness account, undefined if this node holds no key for it. */
export function producerOf(producers: readonly Producer[], witness: Uint8Array): Producer | undefined {
	return producers.find((producer) => equalBytes(producer.witness, witness));
}
