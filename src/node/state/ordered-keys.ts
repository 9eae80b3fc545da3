/** A set of keys in ascending order, for stores whose rules walk their entries. */

export class OrderedKeys {
	private readonly sorted: string[] = [];

	constructor(keys: Iterable<string> = []) {
		this.sorted = [...new Set(keys)].sort(compare);
	}

	get list(): readonly string[] {
		return this.sorted;
	}

	copy(): OrderedKeys {
		const copy = new OrderedKeys();
		for (const key of this.sorted) copy.sorted.push(key);
		return copy;
	}

	add(key: string): void {
		const at = lowerBound(this.sorted, key);
		if (this.sorted[at] !== key) this.sorted.splice(at, 0, key);
	}

	delete(key: string): void {
		const at = lowerBound(this.sorted, key);
		if (this.sorted[at] === key) this.sorted.splice(at, 1);
	}
}

/** Keys hold one byte a UTF-16 unit, so the order of strings is the order of bytes. */
function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

/** Index of the first key that is not below `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
	let low = 0;
	let high = keys.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((keys[middle] as string) < key) low = middle + 1;
		else high = middle;
	}
	return low;
}
