/** Keys of the post-quantum schemes, as the keystore keeps them: the private key and its public one behind it, encrypted. */

import { randomBytes } from "node:crypto";
import { concatBytes } from "../protocol/bytes.js";
import {
	loadPostQuantum,
	type PostQuantumKeys,
	postQuantumAlgorithm,
} from "../protocol/post-quantum/algorithms.js";
import { type PostQuantumScheme, postQuantumSchemes } from "../protocol/post-quantum/schemes.js";

/** A key with its scheme; whoever has it has it opened, and overwrites `privateKey` after use. */
export interface PostQuantumKey extends PostQuantumKeys {
	readonly scheme: PostQuantumScheme;
}

/** A scheme as people name it: `fn-dsa-512` for FN_DSA_512. */
const schemeWord = ({ name }: PostQuantumScheme): string => name.toLowerCase().replaceAll("_", "-");

export const SCHEME_WORDS: readonly string[] = postQuantumSchemes.map(schemeWord);

export const schemeOfWord = (word: string | undefined): PostQuantumScheme | undefined =>
	postQuantumSchemes.find((scheme) => schemeWord(scheme) === word);

/** Makes a key. @param seed of the scheme's length; it is overwritten */
export async function newPostQuantumKey(
	scheme: PostQuantumScheme,
	seed: Uint8Array = randomBytes(scheme.seedLength),
): Promise<PostQuantumKey> {
	await loadPostQuantum();
	const keys = postQuantumAlgorithm(scheme).keysOfSeed(seed);
	seed.fill(0);
	return { scheme, ...keys };
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
