/**
 * The member order of the map-ordered form: the iteration order of the reference's hash map (protocol/http §2.3). It depends on the
 * exact spelling of the names and on how many members the object holds.
 */

const SMALLEST = 16;
const spreads = new Map<string, number>();

/** Hash of a name, high bits mixed into the low ones. */
function spread(name: string): number {
	let result = spreads.get(name);
	if (result === undefined) {
		let hash = 0;
		for (let i = 0; i < name.length; i++) hash = (Math.imul(31, hash) + name.charCodeAt(i)) | 0;
		result = hash ^ (hash >>> 16);
		// Member names of a server are few, those in a client's free-form object are not.
		if (spreads.size < 4096) spreads.set(name, result);
	}
	return result;
}

/** Capacity of a map that grew to `count` entries: a power of two, doubled beyond three quarters. */
export function capacityFor(count: number): number {
	let capacity = SMALLEST;
	while (count > capacity * 0.75) capacity *= 2;
	return capacity;
}

/** Sorts rows, given in order of insertion, as a map of that capacity iterates them. */
export function hashOrdered<T>(rows: readonly T[], nameOf: (row: T) => string, capacity: number): T[] {
	const mask = capacity - 1;
	return rows
		.map((row) => ({ row, index: spread(nameOf(row)) & mask }))
		.sort((a, b) => a.index - b.index)
		.map(({ row }) => row);
}
