/** Adds signatures to a transaction, wherever the keys are held (protocol/wallet-formats §4.2). */

import type { PrivateKey } from "../../keystore/private-key.js";
import { equalBytes } from "../../protocol/bytes.js";
import { PQAuthSig } from "../../protocol/messages.js";
import { postQuantumAlgorithm } from "../../protocol/post-quantum/algorithms.js";
import { addressOfPrivateKey, recoverAddress, sign } from "../../protocol/signature.js";
import { Failure } from "../failure.js";
import { type Signature, type TransactionEnvelope, withSignature } from "../transaction/envelope.js";

/** Produces the signature of one key: by unlocking it, or by asking an agent or a device. */
type SignatureSource<K> = (envelope: TransactionEnvelope, key: K) => Promise<Signature>;

/**
 * Adds the signatures of several keys, one after another.
 * @throws whatever the source throws
 */
export async function signWith<K>(
	envelope: TransactionEnvelope,
	keys: readonly K[],
	signatureOf: SignatureSource<K>,
): Promise<TransactionEnvelope> {
	let signed = envelope;
	for (const key of keys) signed = withSignature(signed, await signatureOf(signed, key));
	return signed;
}

/** Signs with a private key of 32 bytes. @returns 65 bytes, r‖s‖v */
export function signatureBy(envelope: TransactionEnvelope, privateKey: Uint8Array): Uint8Array;
/** Signs with a key of any scheme, whose library must be loaded. Adding the signature to the envelope verifies that it is the key's. */
export function signatureBy(envelope: TransactionEnvelope, privateKey: PrivateKey): Signature;
export function signatureBy({ transaction }: TransactionEnvelope, privateKey: PrivateKey): Signature {
	if (!(privateKey instanceof Uint8Array)) {
		const { scheme, publicKey } = privateKey;
		const signature = postQuantumAlgorithm(scheme).sign(transaction.id, privateKey.privateKey);
		return PQAuthSig.create({ scheme: scheme.id, public_key: publicKey, signature });
	}
	const signature = sign(transaction.id, privateKey);
	if (!equalBytes(recoverAddress(transaction.id, signature), addressOfPrivateKey(privateKey))) {
		throw new Failure("internal", "a defect in coin: a signature does not recover to its key");
	}
	return signature;
}
