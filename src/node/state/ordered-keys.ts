/** A set of keys in ascending order, for stores whose rules walk their entries. */

/** Negative if the first key comes before the second, 0 if they are the same key. */
export type KeyOrder = (a: string, b: string) => number;

export class OrderedKeys {
	private readonly sorted: string[] = [];

	constructor(
		keys: Iterable<string> = [],
		private readonly order: KeyOrder = byBytes,
	) {
		this.sorted = [...new Set(keys)].sort(order);
	}

	get list(): readonly string[] {
		return this.sorted;
	}

	copy(): OrderedKeys {
		const copy = new OrderedKeys([], this.order);
		for (const key of this.sorted) copy.sorted.push(key);
		return copy;
	}

	add(key: string): void {
		const at = lowerBound(this.sorted, key, this.order);
		if (this.sorted[at] !== key) this.sorted.splice(at, 0, key);
	}

	delete(key: string): void {
		const at = lowerBound(this.sorted, key, this.order);
		if (this.sorted[at] === key) this.sorted.splice(at, 1);
	}
}

/** Keys hold one byte a UTF-16 unit, so the order of strings is the order of bytes. */
function byBytes(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

/** Index of the first key that is not below `key`. */
export function lowerBound(keys: readonly string[], key: string, order: KeyOrder = byBytes): number {
	let low = 0;
	let high = keys.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (order(keys[middle] as string, key) < 0) low = middle + 1;
		else high = middle;
	}
	return low;
}
