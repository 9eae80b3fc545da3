/** Adding the signatures of keys, wherever these are (protocol/wallet-formats §4.2). */

import { equalBytes } from "../../protocol/bytes.js";
import { addressOfPrivateKey, recoverAddress, sign } from "../../protocol/signature.js";
import { Failure } from "../failure.js";
import { type TransactionEnvelope, withSignature } from "../transaction/envelope.js";

/** Makes the signature of one key: opens it, asks an agent or a device. @returns 65 bytes r‖s‖v */
type SignatureSource<K> = (envelope: TransactionEnvelope, key: K) => Promise<Uint8Array>;

/**
 * Adds the signatures of keys, one after the other.
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

/**
 * The signature of a private key, which is made sure to be the key's.
 * @param privateKey 32 bytes
 * @returns 65 bytes r‖s‖v
 */
export function signatureBy({ transaction }: TransactionEnvelope, privateKey: Uint8Array): Uint8Array {
	const signature = sign(transaction.id, privateKey);
	if (!equalBytes(recoverAddress(transaction.id, signature), addressOfPrivateKey(privateKey))) {
		throw new Failure("internal", "a defect in coin: a signature does not recover to its key");
	}
	return signature;
}
