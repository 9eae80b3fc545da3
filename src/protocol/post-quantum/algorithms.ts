/**
 * Verifying and making signatures of the post-quantum schemes. The library is loaded by {@link loadPostQuantum}, which whoever may
 * meet such a signature awaits once: a node of Nile at its start, a thread for signatures, a command for such keys.
 */

import type { PQAuthSig } from "../messages.js";
import { FN_DSA_512, hasLengthsOf, ML_DSA_44, type PostQuantumScheme, postQuantumScheme } from "./schemes.js";

/** Keys in the forms of wire and key files. */
export interface PostQuantumKeys {
	readonly publicKey: Uint8Array;
	readonly privateKey: Uint8Array;
}

export interface PostQuantumAlgorithm {
	/** Whether a signature of the scheme's length is right. Never throws. */
	verify(message: Uint8Array, publicKey: Uint8Array, signature: Uint8Array): boolean;
	/**
	 * Signs.
	 * @param random bytes that nobody can guess; without it fresh ones, and so other bytes every time
	 * @throws {Error} for a private key that is none
	 */
	sign(message: Uint8Array, privateKey: Uint8Array, random?: (length: number) => Uint8Array): Uint8Array;
	/** The keys that a seed of the scheme's length makes. */
	keysOfSeed(seed: Uint8Array): PostQuantumKeys;
	/** The public key of a private one, none for one that is none itself; undefined: the scheme's private keys don't hold it. */
	readonly publicKeyOf: ((privateKey: Uint8Array) => Uint8Array | undefined) | undefined;
}

let algorithms: ReadonlyMap<PostQuantumScheme, PostQuantumAlgorithm> | undefined;

/** Loads the library, once a thread. */
export async function loadPostQuantum(): Promise<void> {
	if (algorithms) return;
	const { fnDsa512, mlDsa44 } = await import("./library.js");
	algorithms = new Map([
		[FN_DSA_512, fnDsa512],
		[ML_DSA_44, mlDsa44],
	]);
}

/** Whether a signature by the private key is one of the public key. The scheme's library must be loaded. */
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
		// The library's own words for a private key that is none.
		if (error instanceof Error) return false;
		throw error;
	}
}

/** The arithmetic of a scheme. @throws {Error} if {@link loadPostQuantum} wasn't awaited, which is a fault of the program */
export function postQuantumAlgorithm(scheme: PostQuantumScheme): PostQuantumAlgorithm {
	const algorithm = algorithms?.get(scheme);
	if (!algorithm) throw new Error("the library of post-quantum signatures was not loaded");
	return algorithm;
}

/**
 * Whether an entry holds a right signature, lengths included.
 * @param message 32 bytes: what is signed (protocol/post-quantum §4)
 */
export function isPostQuantumSignature(message: Uint8Array, entry: Readonly<PQAuthSig>): boolean {
	const scheme = postQuantumScheme(entry.scheme);
	return (
		scheme !== undefined &&
		hasLengthsOf(scheme, entry) &&
		postQuantumAlgorithm(scheme).verify(message, entry.public_key, entry.signature)
	);
}
