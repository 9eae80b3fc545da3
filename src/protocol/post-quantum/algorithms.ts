/**
 * Signs and verifies with the post-quantum schemes. Code that may see such signatures must first await {@link
 * loadPostQuantum}: a Nile node at startup, a signature worker, a command using such keys.
 */

import type { PQAuthSig } from "../messages.js";
import { FN_DSA_512, hasLengthsOf, ML_DSA_44, type PostQuantumScheme, postQuantumScheme } from "./schemes.js";

/** Keys as encoded on the wire and in key files. */
export interface PostQuantumKeys {
	readonly publicKey: Uint8Array;
	readonly privateKey: Uint8Array;
}

export interface PostQuantumAlgorithm {
	/** Whether a signature of the scheme's length is valid. Never throws. */
	verify(message: Uint8Array, publicKey: Uint8Array, signature: Uint8Array): boolean;
	/**
	 * Signs a message.
	 * @param random unpredictable bytes; default: fresh ones, so signatures differ every time
	 * @throws {Error} for an invalid private key
	 */
	sign(message: Uint8Array, privateKey: Uint8Array, random?: (length: number) => Uint8Array): Uint8Array;
	/** Derives keys from a seed of the scheme's length. */
	keysOfSeed(seed: Uint8Array): PostQuantumKeys;
	/** Public key of a private one (if valid); undefined if private keys of the scheme don't contain it. */
	readonly publicKeyOf: ((privateKey: Uint8Array) => Uint8Array | undefined) | undefined;
}

let algorithms: ReadonlyMap<PostQuantumScheme, PostQuantumAlgorithm> | undefined;

/** Loads the library, once per thread. */
export async function loadPostQuantum(): Promise<void> {
	if (algorithms) return;
	const { fnDsa512, mlDsa44 } = await import("./library.js");
	algorithms = new Map([
		[FN_DSA_512, fnDsa512],
		[ML_DSA_44, mlDsa44],
	]);
}

/** Whether the private key belongs to the public key. Needs {@link loadPostQuantum}. */
export function belongTogether(
	scheme: PostQuantumScheme,
	{ publicKey, privateKey }: PostQuantumKeys,
): boolean {
	const message = new Uint8Array(32);
	const algorithm = postQuantumAlgorithm(scheme);
	try {
		const signature = algorithm.sign(message, privateKey);
		return isPostQuantumSignature(message, { scheme: scheme.id, public_key: publicKey, signature });
	} catch (error) {
		// The library rejected the private key.
		if (error instanceof Error) return false;
		throw error;
	}
}

/** The implementation of a scheme. @throws {Error} if {@link loadPostQuantum} wasn't awaited (a bug) */
export function postQuantumAlgorithm(scheme: PostQuantumScheme): PostQuantumAlgorithm {
	const algorithm = algorithms?.get(scheme);
	if (!algorithm) throw new Error("the library of post-quantum signatures was not loaded");
	return algorithm;
}

/**
 * Whether an entry holds a valid signature of valid lengths.
 * @param message 32 bytes that are signed (protocol/post-quantum §4)
 */
export function isPostQuantumSignature(message: Uint8Array, entry: Readonly<PQAuthSig>): boolean {
	const scheme = postQuantumScheme(entry.scheme);
	return (
		scheme !== undefined &&
		hasLengthsOf(scheme, entry) &&
		postQuantumAlgorithm(scheme).verify(message, entry.public_key, entry.signature)
	);
}
