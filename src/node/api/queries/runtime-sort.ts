/**
 * The merge sort of the network's runtime (TimSort): natural runs, binary insertion into runs that are too short,
 * merging with galloping. With a consistent comparison it is one stable sort among others; where the network compares
 * inconsistently, the order of its lists is what just these comparisons make of it (protocol/parameters §5.2, `listproposals`).
 */

import { NamedError } from "../../../protocol/json/exceptions.js";

/** Lists shorter than this are sorted by insertion alone; shorter runs are never merged. */
const MIN_MERGE = 32;
/** Elements that one run wins in a row before a merge begins to gallop. */
const MIN_GALLOP = 7;

export type Compare<T> = (a: T, b: T) => number;

/**
 * Sorts a list in place.
 * @returns the list
 * @throws {NamedError} IllegalArgumentException where a merge finds the comparison to be inconsistent
 */
export function runtimeSort<T>(list: T[], compare: Compare<T>): T[] {
	new Sorting(list, compare).sort();
	return list;
}

interface Run {
	base: number;
	length: number;
}

/** A part of an array that is galloped through. */
interface Span<T> {
	readonly array: readonly T[];
	readonly base: number;
	readonly length: number;
	/** Where the search begins, from the base. */
	readonly hint: number;
}

class Sorting<T> {
	private readonly runs: Run[] = [];
	private minGallop = MIN_GALLOP;

	constructor(
		private readonly list: T[],
		private readonly compare: Compare<T>,
	) {}

	sort(): void {
		const count = this.list.length;
		if (count < 2) return;
		if (count < MIN_MERGE) {
			this.insert(0, count, this.naturalRun(0, count));
			return;
		}
		const minRun = minRunLength(count);
		for (let base = 0; base < count; ) {
			let length = this.naturalRun(base, count) - base;
			if (length < minRun) {
				const forced = Math.min(count - base, minRun);
				this.insert(base, base + forced, base + length);
				length = forced;
			}
			this.runs.push({ base, length });
			this.mergeUnbalanced();
			base += length;
		}
		while (this.runs.length > 1) {
			const at = this.runs.length - 2;
			this.mergeAt(at > 0 && this.lengthAt(at - 1) < this.lengthAt(at + 1) ? at - 1 : at);
		}
	}

	private item(at: number): T {
		return this.list[at] as T;
	}

	private lengthAt(run: number): number {
		return (this.runs[run] as Run).length;
	}

	/** End of the run that begins at a place; a descending one is turned around. */
	private naturalRun(from: number, end: number): number {
		let at = from + 1;
		if (at === end) return end;
		const descends = this.compare(this.item(at), this.item(from)) < 0;
		at++;
		while (at < end && this.compare(this.item(at), this.item(at - 1)) < 0 === descends) at++;
		if (descends) this.list.splice(from, at - from, ...this.list.slice(from, at).reverse());
		return at;
	}

	/** Sorts `from` to `end`, of which the part before `start` is sorted. */
	private insert(from: number, end: number, start: number): void {
		for (let at = start; at < end; at++) {
			const pivot = this.item(at);
			let left = from;
			let right = at;
			while (left < right) {
				const middle = (left + right) >>> 1;
				if (this.compare(pivot, this.item(middle)) < 0) right = middle;
				else left = middle + 1;
			}
			this.list.copyWithin(left + 1, left, at);
			this.list[left] = pivot;
		}
	}

	/** Merges runs until each is longer than the next, and than the next two together. */
	private mergeUnbalanced(): void {
		while (this.runs.length > 1) {
			const at = this.runs.length - 2;
			const isShort = (run: number): boolean =>
				run > 0 && this.lengthAt(run - 1) <= this.lengthAt(run) + this.lengthAt(run + 1);
			if (isShort(at) || isShort(at - 1)) {
				this.mergeAt(this.lengthAt(at - 1) < this.lengthAt(at + 1) ? at - 1 : at);
			} else if (this.lengthAt(at) <= this.lengthAt(at + 1)) this.mergeAt(at);
			else return;
		}
	}

	private mergeAt(at: number): void {
		const first = this.runs[at] as Run;
		const second = this.runs[at + 1] as Run;
		this.runs.splice(at, 2, { base: first.base, length: first.length + second.length });
		const skipped = this.gallopRight(this.item(second.base), { array: this.list, ...first, hint: 0 });
		const base = first.base + skipped;
		const length = first.length - skipped;
		if (length === 0) return;
		const last = this.item(base + length - 1);
		const rest = this.gallopLeft(last, { array: this.list, ...second, hint: second.length - 1 });
		if (rest === 0) return;
		if (length <= rest) this.mergeLow({ base, length }, { base: second.base, length: rest });
		else this.mergeHigh({ base, length }, { base: second.base, length: rest });
	}

	/** Where a key belongs before all that equal it, from the base. */
	private gallopLeft(key: T, span: Span<T>): number {
		return this.gallop(span, (other) => this.compare(key, other) > 0);
	}

	/** Where a key belongs after all that equal it, from the base. */
	private gallopRight(key: T, span: Span<T>): number {
		return this.gallop(span, (other) => this.compare(key, other) >= 0);
	}

	/** The place behind the last element that lies before the key, found in leaps from the hint, then by halves. */
	private gallop({ array, base, length, hint }: Span<T>, isBefore: (other: T) => boolean): number {
		const before = (at: number): boolean => isBefore(array[base + at] as T);
		const forward = before(hint);
		const limit = forward ? length - hint : hint + 1;
		let last = 0;
		let offset = 1;
		while (offset < limit && before(forward ? hint + offset : hint - offset) === forward) {
			last = offset;
			offset = 2 * offset + 1;
		}
		offset = Math.min(offset, limit);
		let low = (forward ? hint + last : hint - offset) + 1;
		let high = forward ? hint + offset : hint - last;
		while (low < high) {
			const middle = low + ((high - low) >>> 1);
			if (before(middle)) low = middle + 1;
			else high = middle;
		}
		return high;
	}

	/** Merges from the front: the first run is the shorter one, and its last element comes last. */
	private mergeLow(first: Run, second: Run): void {
		const { list } = this;
		const held = list.slice(first.base, first.base + first.length);
		let from = 0;
		let left = first.length;
		let other = second.base;
		let right = second.length;
		let to = first.base;
		const takeOther = (count: number): void => {
			list.copyWithin(to, other, other + count);
			to += count;
			other += count;
			right -= count;
		};
		const takeHeld = (count: number): void => {
			for (let i = 0; i < count; i++) list[to++] = held[from++] as T;
			left -= count;
		};
		const isOver = (): boolean => right === 0 || left <= 1;
		takeOther(1);
		while (!isOver()) {
			let wonByHeld = 0;
			let wonByOther = 0;
			while (!isOver() && (wonByHeld | wonByOther) < this.minGallop) {
				if (this.compare(this.item(other), held[from] as T) < 0) {
					takeOther(1);
					wonByOther++;
					wonByHeld = 0;
				} else {
					takeHeld(1);
					wonByHeld++;
					wonByOther = 0;
				}
			}
			if (isOver()) break;
			do {
				wonByHeld = this.gallopRight(this.item(other), { array: held, base: from, length: left, hint: 0 });
				takeHeld(wonByHeld);
				if (wonByHeld > 0 && left <= 1) break;
				takeOther(1);
				if (right === 0) break;
				wonByOther = this.gallopLeft(held[from] as T, { array: list, base: other, length: right, hint: 0 });
				takeOther(wonByOther);
				if (right === 0) break;
				takeHeld(1);
				if (left === 1) break;
				this.minGallop--;
			} while (wonByHeld >= MIN_GALLOP || wonByOther >= MIN_GALLOP);
			this.minGallop = Math.max(this.minGallop, 0) + (isOver() ? 0 : 2);
		}
		this.minGallop = Math.max(this.minGallop, 1);
		if (left === 0) throw inconsistent();
		if (left === 1) takeOther(right);
		takeHeld(left);
	}

	/** Merges from the back: the second run is the shorter one, and its first element comes first. */
	private mergeHigh(first: Run, second: Run): void {
		const { list } = this;
		const held = list.slice(second.base, second.base + second.length);
		let from = second.length - 1;
		let right = second.length;
		let other = first.base + first.length - 1;
		let left = first.length;
		let to = second.base + second.length - 1;
		const takeOther = (count: number): void => {
			to -= count;
			other -= count;
			list.copyWithin(to + 1, other + 1, other + 1 + count);
			left -= count;
		};
		const takeHeld = (count: number): void => {
			for (let i = 0; i < count; i++) list[to--] = held[from--] as T;
			right -= count;
		};
		const isOver = (): boolean => left === 0 || right <= 1;
		takeOther(1);
		while (!isOver()) {
			let wonByOther = 0;
			let wonByHeld = 0;
			while (!isOver() && (wonByOther | wonByHeld) < this.minGallop) {
				if (this.compare(held[from] as T, this.item(other)) < 0) {
					takeOther(1);
					wonByOther++;
					wonByHeld = 0;
				} else {
					takeHeld(1);
					wonByHeld++;
					wonByOther = 0;
				}
			}
			if (isOver()) break;
			do {
				const { base } = first;
				const below = { array: list, base, length: left, hint: left - 1 };
				wonByOther = left - this.gallopRight(held[from] as T, below);
				takeOther(wonByOther);
				if (left === 0) break;
				takeHeld(1);
				if (right === 1) break;
				wonByHeld =
					right - this.gallopLeft(this.item(other), { array: held, base: 0, length: right, hint: right - 1 });
				takeHeld(wonByHeld);
				if (wonByHeld > 0 && right <= 1) break;
				takeOther(1);
				if (left === 0) break;
				this.minGallop--;
			} while (wonByOther >= MIN_GALLOP || wonByHeld >= MIN_GALLOP);
			this.minGallop = Math.max(this.minGallop, 0) + (isOver() ? 0 : 2);
		}
		this.minGallop = Math.max(this.minGallop, 1);
		if (right === 0) throw inconsistent();
		if (right === 1) takeOther(left);
		takeHeld(right);
	}
}

/** Half of the count as often as it takes to come below {@link MIN_MERGE}, rounded up once. */
function minRunLength(count: number): number {
	let rest = count;
	let remainder = 0;
	while (rest >= MIN_MERGE) {
		remainder |= rest & 1;
		rest >>= 1;
	}
	return rest + remainder;
}

function inconsistent(): NamedError {
	return new NamedError("IllegalArgumentException", "Comparison method violates its general contract!");
}
