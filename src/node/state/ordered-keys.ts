/**
 * A sorted set of keys, for stores that rules iterate.
 *
 * PERF: kept in runs of bounded length, so that a change moves at most a few hundred keys: a cycle may add
 * tens of thousands of vote records.
 */

/** Negative if the first key comes before the second, 0 if they are the same key. */
export type KeyOrder = (a: string, b: string) => number;

/** Read-only view of the keys. Must not be kept across a write. */
export interface SortedKeys extends Iterable<string> {
	readonly size: number;
	/** The keys not below `key`, ascending. */
	from(key: string): Iterable<string>;
	/** Like {@link from}, but may include keys that don't exist: for time-sliced iterations. Absent: none do. */
	candidatesFrom?(key: string): Iterable<string>;
	copy(): OrderedKeys;
}

/** A run of this length is split in two. */
const MAX_RUN = 512;

export class OrderedKeys implements SortedKeys {
	/** Ascending; none is empty. */
	private runs: string[][] = [];
	private count = 0;

	constructor(
		keys: Iterable<string> = [],
		private readonly order: KeyOrder = byBytes,
	) {
		const sorted = [...new Set(keys)].sort(order);
		this.count = sorted.length;
		for (let at = 0; at < sorted.length; at += MAX_RUN / 2)
			this.runs.push(sorted.slice(at, at + MAX_RUN / 2));
	}

	get size(): number {
		return this.count;
	}

	*[Symbol.iterator](): Iterator<string> {
		for (const run of this.runs) yield* run;
	}

	*from(key: string): Iterable<string> {
		const first = this.runOf(key);
		for (let r = first; r < this.runs.length; r++) {
			const run = this.runs[r] as string[];
			for (let i = r === first ? lowerBound(run, key, this.order) : 0; i < run.length; i++) {
				yield run[i] as string;
			}
		}
	}

	copy(): OrderedKeys {
		const copy = new OrderedKeys([], this.order);
		copy.runs = this.runs.map((run) => run.slice());
		copy.count = this.count;
		return copy;
	}

	add(key: string): void {
		const r = this.runOf(key);
		const run = this.runs[r];
		if (!run) {
			this.runs.push([key]);
			this.count++;
			return;
		}
		const at = lowerBound(run, key, this.order);
		if (run[at] === key) return;
		run.splice(at, 0, key);
		this.count++;
		if (run.length >= MAX_RUN) this.runs.splice(r + 1, 0, run.splice(MAX_RUN / 2));
	}

	delete(key: string): void {
		const r = this.runOf(key);
		const run = this.runs[r];
		if (!run) return;
		const at = lowerBound(run, key, this.order);
		if (run[at] !== key) return;
		run.splice(at, 1);
		this.count--;
		if (run.length === 0) this.runs.splice(r, 1);
	}

	/** Index of the run that contains or would contain a key: the last one that doesn't start above it. */
	private runOf(key: string): number {
		let low = 0;
		let high = this.runs.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.order((this.runs[middle] as string[])[0] as string, key) <= 0) low = middle + 1;
			else high = middle;
		}
		return Math.max(0, low - 1);
	}
}

/** Keys hold one byte per UTF-16 unit, so string order is byte order. */
export function byBytes(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

/** Index of the first key not below `key`. */
function lowerBound(keys: readonly string[], key: string, order: KeyOrder): number {
	let low = 0;
	let high = keys.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (order(keys[middle] as string, key) < 0) low = middle + 1;
		else high = middle;
	}
	return low;
}
