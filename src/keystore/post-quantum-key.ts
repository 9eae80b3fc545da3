/** Post-quantum keys as stored in the keystore: the private key followed by the public key, encrypted. */

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

/** An unlocked key with its scheme; its holder must overwrite `privateKey` after use. */
export interface PostQuantumKey extends PostQuantumKeys {
	readonly scheme: PostQuantumScheme;
}

/** Name of a scheme on the command line: `fn-dsa-512` for FN_DSA_512. */
const schemeWord = ({ name }: PostQuantumScheme): string => name.toLowerCase().replaceAll("_", "-");

export const SCHEME_WORDS: readonly string[] = postQuantumSchemes.map(schemeWord);

export const schemeOfWord = (word: string | undefined): PostQuantumScheme | undefined =>
	postQuantumSchemes.find((scheme) => schemeWord(scheme) === word);

/** @throws {KeystoreError} `bad_value` */
function checkLength({ name }: PostQuantumScheme, what: string, given: Uint8Array, length: number): void {
	if (given.length !== length)
		throw new KeystoreError("bad_value", `a ${what} of ${name} has ${length} bytes, not ${given.length}`);
}

/** Checks the lengths of the private and the public key. @throws {KeystoreError} `bad_value` */
export function checkLengths({ scheme, privateKey, publicKey }: PostQuantumKey): void {
	checkLength(scheme, "private key", privateKey, scheme.privateKeyLength);
	checkLength(scheme, "public key", publicKey, scheme.publicKeyLength);
}

/**
 * Generates a key.
 * @param seed of the scheme's length (48 bytes for FN_DSA_512, 32 for ML_DSA_44), which determines the key; it is overwritten.
 * Random if absent
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
 * Makes a key from its bytes, in the form of key files: a Falcon key without its header byte (protocol/post-quantum §2).
 * @param privateKey 1280 (FN_DSA_512) or 2560 (ML_DSA_44) bytes, which the key shares
 * @param publicKey 896 or 1312 bytes; may be absent if the private key contains it, as for ML_DSA_44
 * @throws {KeystoreError} `bad_value` for other lengths, or if the two don't match
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

/** The bytes of a key to encrypt. */
export const secretOfKey = ({ privateKey, publicKey }: PostQuantumKeys): Uint8Array =>
	concatBytes(privateKey, publicKey);

/** The key in a decrypted secret, whose bytes it shares; undefined if the length is not the scheme's. */
export function keyOfSecret(scheme: PostQuantumScheme, secret: Uint8Array): PostQuantumKey | undefined {
	const { privateKeyLength, publicKeyLength } = scheme;
	if (secret.length !== privateKeyLength + publicKeyLength) return undefined;
	return {
		scheme,
		privateKey: secret.subarray(0, privateKeyLength),
		publicKey: secret.subarray(privateKeyLength),
	};
}
