/**
 * Iteration order of the network's hash maps keyed by byte strings. It reaches the chain where iteration
 * writes records: accounts after a contract ran, storage rows sharing a key, votes (protocol/machine §17.2).
 */

import { type KeyHash, walkOrder } from "./hash-table.js";

/** Java's `Arrays.hashCode`. Keys have one UTF-16 unit per byte. */
export const arrayHash: KeyHash = (key) => polynomial(key, 1, 31);

/** Hash of protobuf's immutable `ByteString`. */
export const byteStringHash: KeyHash = (key) => polynomial(key, key.length, 31) || 1;

/** Hash of a record's key in the contract machine's caches (derived from recorded balance histories). */
export const recordHash: KeyHash = (key) => polynomial(key, 17, 37);

/** Polynomial over signed bytes. */
function polynomial(key: string, start: number, factor: number): number {
	let hash = start;
	for (let i = 0; i < key.length; i++)
		hash = (Math.imul(hash, factor) + ((key.charCodeAt(i) << 24) >> 24)) | 0;
	return hash;
}

/** Returns distinct keys, given in insertion order, in iteration order. */
export function hashOrder(keys: readonly string[], hash: KeyHash = arrayHash): string[] {
	return walkOrder(keys, hash);
}
