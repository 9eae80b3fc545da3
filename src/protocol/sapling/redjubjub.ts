/** RedJubjub, the signatures of spends and of balances (protocol/shielded §6.3). A signature is R and S, 64 bytes. */

import { blake2b } from "@noble/hashes/blake2.js";
import { concatBytes, utf8 } from "../bytes.js";
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
 * @param generator that the public key is a multiple of
 * @param randomness 80 bytes, never used before
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

/** Whether a signature under a public key holds. The key may have any order, and so may R. */
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
