/**
 * The order in which the network's runtime walks a hash map keyed by byte strings. It reaches the chain where such a
 * walk writes records: accounts after a contract's execution, storage rows that share a key, votes (protocol/machine §17.2).
 */

import { type KeyHash, walkOrder } from "./hash-table.js";

/** Hash of an array of bytes. Keys of bytes have one UTF-16 unit a byte. */
export const arrayHash: KeyHash = (key) => polynomial(key, 1, 31);

/** Hash of an immutable byte string. */
export const byteStringHash: KeyHash = (key) => polynomial(key, key.length, 31) || 1;

/** Hash of a record's key in the contract machine's caches (found in the recordings' balance histories). */
export const recordHash: KeyHash = (key) => polynomial(key, 17, 37);

/** A polynomial over signed bytes. */
function polynomial(key: string, start: number, factor: number): number {
	let hash = start;
	for (let i = 0; i < key.length; i++)
		hash = (Math.imul(hash, factor) + ((key.charCodeAt(i) << 24) >> 24)) | 0;
	return hash;
}

/** Keys, given in the order of their insertion and each once, in the order of a walk. */
export function hashOrder(keys: readonly string[], hash: KeyHash = arrayHash): string[] {
	return walkOrder(keys, hash);
}
