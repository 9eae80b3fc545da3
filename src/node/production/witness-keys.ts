/** The keys with which this node signs blocks (protocol/consensus §3.3). */

import { equalBytes } from "../../protocol/bytes.js";
import { addressOfPrivateKey, signBlock } from "../../protocol/signature.js";
import type { Producer } from "../chain/chain.js";

/** A producer that signs with a private key of 32 bytes; the key stays in the closure. */
export function producerWithKey(privateKey: Uint8Array, witness?: Uint8Array): Producer {
	const signer = addressOfPrivateKey(privateKey);
	return { witness: witness ?? signer, signer, sign: (hash) => signBlock(hash, privateKey) };
}

/** The producer of a witness account, undefined if this node holds no key for it. */
export function producerOf(producers: readonly Producer[], witness: Uint8Array): Producer | undefined {
	return producers.find((producer) => equalBytes(producer.witness, witness));
}
