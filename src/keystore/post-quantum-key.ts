/** Keys of the post-quantum schemes, as the keystore keeps them: the private key and its public one behind it, encrypted. */

import { randomBytes } from "node:crypto";
import { concatBytes } from "../protocol/bytes.js";
import {
	belongTogether,
	loadPostQuantum,
	type PostQuantumKeys,
	postQuantumAlgorithm,
} from "../protocol/post-quantum/algorithms.js";
import { type PostQuantumScheme, postQuantumSchemes } from "../protocol/post-quantum/schemes.js";
import { KeystoreError } from "./keystore-error.js";

/** A key with its scheme; whoever has it has it opened, and overwrites `privateKey` after use. */
export interface PostQuantumKey extends PostQuantumKeys {
	readonly scheme: PostQuantumScheme;
}

/** A scheme as people name it: `fn-dsa-512` for FN_DSA_512. */
const schemeWord = ({ name }: PostQuantumScheme): string => name.toLowerCase().replaceAll("_", "-");

export const SCHEME_WORDS: readonly string[] = postQuantumSchemes.map(schemeWord);

export const schemeOfWord = (word: string | undefined): PostQuantumScheme | undefined =>
	postQuantumSchemes.find((scheme) => schemeWord(scheme) === word);

/** @throws {KeystoreError} `bad_value` */
function checkLength({ name }: PostQuantumScheme, what: string, given: Uint8Array, length: number): void {
	if (given.length !== length)
		throw new KeystoreError("bad_value", `a ${what} of ${name} has ${length} bytes, not ${given.length}`);
}

/** The lengths of both halves. @throws {KeystoreError} `bad_value` */
export function checkLengths({ scheme, privateKey, publicKey }: PostQuantumKey): void {
	checkLength(scheme, "private key", privateKey, scheme.privateKeyLength);
	checkLength(scheme, "public key", publicKey, scheme.publicKeyLength);
}

/**
 * Makes a key.
 * @param seed of the scheme's length (FN_DSA_512 48 bytes, ML_DSA_44 32), of which the same key follows every time; it is overwritten.
 * Absent: a random one
 * @throws {KeystoreError} `bad_value` for a seed of another length
 */
export async function newPostQuantumKey(
	scheme: PostQuantumScheme,
	seed: Uint8Array = randomBytes(scheme.seedLength),
): Promise<PostQuantumKey> {
	checkLength(scheme, "seed", seed, scheme.seedLength);
	await loadPostQuantum();
	const keys = postQuantumAlgorithm(scheme).keysOfSeed(seed);
	seed.fill(0);
	return { scheme, ...keys };
}

/**
 * A key from its bytes, in the forms of key files: a Falcon key without its header byte (protocol/post-quantum §2).
 * @param privateKey whose bytes the key shares: 1280 (FN_DSA_512) or 2560 (ML_DSA_44)
 * @param publicKey 896 or 1312 bytes; may be absent where the private key holds it, as those of ML_DSA_44 do
 * @throws {KeystoreError} `bad_value` for other lengths, and unless the two belong together
 */
export async function postQuantumKeyOf(
	scheme: PostQuantumScheme,
	privateKey: Uint8Array,
	publicKey?: Uint8Array,
): Promise<PostQuantumKey> {
	checkLength(scheme, "private key", privateKey, scheme.privateKeyLength);
	await loadPostQuantum();
	const { publicKeyOf } = postQuantumAlgorithm(scheme);
	if (!publicKey && !publicKeyOf)
		throw new KeystoreError("bad_value", `a private key of ${scheme.name} needs its public key`);
	const known = publicKey ?? publicKeyOf?.(privateKey);
	if (known) {
		const key = { scheme, privateKey, publicKey: known };
		checkLengths(key);
		if (belongTogether(scheme, key)) return key;
	}
	throw new KeystoreError(
		"bad_value",
		`the private key of ${scheme.name} is none, or not that of the public one`,
	);
}

/** What is encrypted of a key. */
export const secretOfKey = ({ privateKey, publicKey }: PostQuantumKeys): Uint8Array =>
	concatBytes(privateKey, publicKey);

/** The key in a secret, whose bytes it shares; undefined if its length is not the scheme's. */
export function keyOfSecret(scheme: PostQuantumScheme, secret: Uint8Array): PostQuantumKey | undefined {
	const { privateKeyLength, publicKeyLength } = scheme;
	if (secret.length !== privateKeyLength + publicKeyLength) return undefined;
	return {
		scheme,
		privateKey: secret.subarray(0, privateKeyLength),
		publicKey: secret.subarray(privateKeyLength),
	};
}
