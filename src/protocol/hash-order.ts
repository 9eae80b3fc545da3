/**
 * The order in which the network's runtime walks a hash map keyed by byte strings. It reaches the chain where such a
 * walk writes records: accounts after a contract's execution, storage rows that share a key, votes (protocol/machine §17.2).
 */

const FIRST_CAPACITY = 16;

/** Hash of a byte string (one UTF-16 unit a byte): a polynomial over its signed bytes. */
type KeyHash = (key: string) => number;

/** Hash of an array of bytes. */
export const arrayHash: KeyHash = (key) => polynomial(key, 1, 31);

/** Hash of an immutable byte string. */
export const byteStringHash: KeyHash = (key) => polynomial(key, key.length, 31) || 1;

/** Hash of a record's key in the contract machine's caches (found in the recordings' balance histories). */
export const recordHash: KeyHash = (key) => polynomial(key, 17, 37);

function polynomial(key: string, start: number, factor: number): number {
	let hash = start;
	for (let i = 0; i < key.length; i++)
		hash = (Math.imul(hash, factor) + ((key.charCodeAt(i) << 24) >> 24)) | 0;
	return hash;
}

/** Keys, given in the order of their insertion, in the order of a walk. Keys of one bucket stay in insertion order. */
export function hashOrder(keys: readonly string[], hash: KeyHash = arrayHash): string[] {
	let capacity = FIRST_CAPACITY;
	while (keys.length > capacity * 0.75) capacity *= 2;
	const rows = keys.map((key) => {
		const h = hash(key);
		return { key, bucket: (h ^ (h >>> 16)) & (capacity - 1) };
	});
	return rows.sort((a, b) => a.bucket - b.bucket).map((row) => row.key);
}
