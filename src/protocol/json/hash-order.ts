/**
 * The member order of the map-ordered form: the iteration order of the reference's hash map (protocol/http §2.3). It depends on the
 * exact spelling of the names, on how many members the object holds and on the order in which they were put in.
 */

import { bucketOrder, FIRST_CAPACITY, walkOrder } from "../hash-table.js";

const hashes = new Map<string, number>();

/** Hash of a name. */
function nameHash(name: string): number {
	let hash = hashes.get(name);
	if (hash === undefined) {
		hash = 0;
		for (let i = 0; i < name.length; i++) hash = (Math.imul(31, hash) + name.charCodeAt(i)) | 0;
		// Member names of a server are few, those in a client's free-form object are not.
		if (hashes.size < 4096) hashes.set(name, hash);
	}
	return hash;
}

/**
 * Rows, given in order of insertion, each name once, as a map iterates them.
 * @param capacity of the empty map
 */
export function hashOrdered<T>(
	rows: readonly T[],
	nameOf: (row: T) => string,
	capacity = FIRST_CAPACITY,
): T[] {
	if (rows.length < 2) return [...rows];
	const byName = new Map(rows.map((row) => [nameOf(row), row]));
	return walkOrder([...byName.keys()], nameHash, capacity).map((name) => byName.get(name) as T);
}

/**
 * Rows as a map of that capacity iterates those of them that it holds, whichever they are: no bucket gets more than eight of
 * the fields of a message (held by a test).
 */
export function fieldOrder<T>(rows: readonly T[], nameOf: (row: T) => string, capacity: number): T[] {
	const byName = new Map(rows.map((row) => [nameOf(row), row]));
	return bucketOrder([...byName.keys()], nameHash, capacity).map((name) => byName.get(name) as T);
}
