/** Unlocked private keys, of secp256k1 or of a post-quantum scheme, and keys of a signer that it has elsewhere. */

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

/** A secp256k1 key held elsewhere, for example by an agent. */
export interface LentKey {
	readonly address: Uint8Array;
	/** Signs 32 bytes. @returns 65 bytes, v = 27 or 28 @throws the holder's refusal */
	readonly sign: (hash: Uint8Array) => Promise<Uint8Array>;
}

/** A secp256k1 key on a device, where a person confirms each signature. All keys on devices are taken to be on the same one. */
export interface DeviceKey {
	readonly address: Uint8Array;
	/** How long a request waits for the person, in milliseconds. */
	readonly confirmMs: number;
	/**
	 * Asks the person.
	 * @param bytes the raw data of a transaction, or a text
	 * @returns 65 bytes, v = 27 or 28; undefined if the person refuses @throws why the device can't sign
	 */
	readonly confirm: (asked: "transaction" | "message", bytes: Uint8Array) => Promise<Uint8Array | undefined>;
}

export type HeldKey = PrivateKey | LentKey | DeviceKey;

/** Whether there is nothing of a key to erase in this process. */
export const isHeldElsewhere = (key: HeldKey): key is LentKey | DeviceKey => "address" in key;
export const isDeviceKey = (key: HeldKey | undefined): key is DeviceKey =>
	key !== undefined && "confirm" in key;
