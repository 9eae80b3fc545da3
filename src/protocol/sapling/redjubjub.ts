/** RedJubjub signatures, for spends and balances (protocol/shielded §6.3): R and S, 64 bytes. */

import { blake2b } from "@noble/hashes/blake2.js";
import { concatBytes, EMPTY, utf8 } from "../bytes.js";
import { contractType, TYPE_URL_PREFIX } from "../contract-types.js";
import { sha256 } from "../hash.js";
import {
	Any,
	ShieldedTransferContract,
	SpendDescription,
	TransactionContract,
	TransactionRaw,
} from "../messages.js";
import { ParameterError, type SignedTransaction } from "../transaction.js";
import {
	decodePoint,
	encodePoint,
	GROUP_ORDER,
	littleBytes,
	multiplyPublic,
	multiplySecret,
	type Point,
	readScalar,
	reduceScalar,
} from "./jubjub.js";

const PURPOSE = utf8("Zcash_RedJubjubH");
const HALF = 32;
const RANDOMNESS = 80;

const hashToScalar = (...parts: Uint8Array[]): bigint =>
	reduceScalar(blake2b(concatBytes(...parts), { personalization: PURPOSE, dkLen: 64 }));

/**
 * @param key the secret scalar
 * @param generator base point of the public key
 * @param randomness 80 bytes, never reused
 */
export function signRedJubjub(
	key: bigint,
	generator: Point,
	message: Uint8Array,
	randomness: Uint8Array,
): Uint8Array {
	if (randomness.length !== RANDOMNESS) throw new RangeError(`a signature takes ${RANDOMNESS} random bytes`);
	const nonce = hashToScalar(randomness, message);
	const r = encodePoint(multiplySecret(generator, nonce));
	const s = (nonce + hashToScalar(r, message) * key) % GROUP_ORDER;
	return concatBytes(r, littleBytes(s));
}

/** Verifies a signature. The key and R may have any order. */
export function verifyRedJubjub(
	key: Point,
	generator: Point,
	message: Uint8Array,
	signature: Uint8Array,
): boolean {
	if (signature.length !== 2 * HALF) return false;
	const r = decodePoint(signature.subarray(0, HALF));
	const s = readScalar(signature.subarray(HALF));
	if (!r || s === undefined) return false;
	const challenge = hashToScalar(signature.subarray(0, HALF), message);
	const difference = multiplyPublic(key, challenge).add(r).subtract(multiplyPublic(generator, s));
	return difference.clearCofactor().is0();
}

// The hash signed in shielded transfers (protocol/shielded §10.3).

/**
 * The hash signed for descriptions: of the transaction without its signatures.
 * @param tokenId of the shielded token, as configured in the network's nodes
 * @throws {ParameterError} if it is not a shielded transfer
 */
export function shieldedSignHash(transaction: SignedTransaction, tokenId: string): Uint8Array {
	const type = contractType("ShieldedTransferContract");
	const { raw } = transaction;
	if (!raw || transaction.contract?.type !== type.id) {
		throw new ParameterError("Type of the Any message does not match the given class.");
	}
	const contract = ShieldedTransferContract.copy(transaction.parameter as ShieldedTransferContract);
	contract.$unknown = undefined;
	contract.binding_signature = EMPTY;
	contract.spend_description = contract.spend_description.map((spend) => {
		const unsigned = SpendDescription.copy(spend);
		unsigned.spend_authority_signature = EMPTY;
		return unsigned;
	});
	const signed = TransactionRaw.copy(raw);
	signed.contract = [
		TransactionContract.create({
			type: type.id,
			parameter: Any.create({
				type_url: TYPE_URL_PREFIX + type.name,
				value: ShieldedTransferContract.encode(contract),
			}),
		}),
	];
	return sha256(concatBytes(sha256(utf8(tokenId)), TransactionRaw.encode(signed)));
}
