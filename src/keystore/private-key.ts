/** Unlocked private keys, of secp256k1 or of a post-quantum scheme. */

import { addressOfPostQuantumKey, type PostQuantumScheme } from "../protocol/post-quantum/schemes.js";
import { addressOfPrivateKey } from "../protocol/signature.js";
import type { PostQuantumKey } from "./post-quantum-key.js";

/** A secp256k1 private key of 32 bytes, or a key of a post-quantum scheme. */
export type PrivateKey = Uint8Array | PostQuantumKey;

/** Overwrites a key that is no longer needed. */
export function forgetKey(key: PrivateKey): void {
	(key instanceof Uint8Array ? key : key.privateKey).fill(0);
}

/** The address of a key, 21 bytes. @param key must have been validated */
export const addressOfKey = (key: PrivateKey): Uint8Array =>
	key instanceof Uint8Array ? addressOfPrivateKey(key) : addressOfPostQuantumKey(key.publicKey);

/** Scheme of a post-quantum key; undefined for secp256k1. */
export const schemeOfKey = (key: PrivateKey): PostQuantumScheme | undefined =>
	key instanceof Uint8Array ? undefined : key.scheme;
