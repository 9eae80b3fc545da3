/** Java's list sort, which detects inconsistent comparators (protocol/parameters §5.2). */

import { NamedError } from "./json/exceptions.js";

type Compare<T> = (a: T, b: T) => number;

/** Shorter lists use insertion sort only; shorter runs are extended by it. */
const LEAST_MERGED = 32;
/** Consecutive wins of one run that start galloping mode. */
const GALLOP_FROM = 7;

/** Thrown when a merge detects an inconsistent comparator. */
const contradiction = () =>
	new NamedError("IllegalArgumentException", "Comparison method violates its general contract!");

/**
 * Sorts like the runtime of the network's node (protocol/parameters §5.2): TimSort. With a consistent
 * comparator, any stable sort gives the same result.
 * @throws {NamedError} if a merge unexpectedly exhausts the run it copied
 */
export function runtimeSorted<T>(values: readonly T[], compare: Compare<T>): T[] {
	const list = [...values];
	if (list.length < LEAST_MERGED) {
		if (list.length > 1) insertFrom(list, 0, list.length, runLength(list, 0, list.length, compare), compare);
		return list;
	}
	const runs = new Runs(list, compare);
	let least = list.length;
	let rest = 0;
	for (; least >= LEAST_MERGED; least >>= 1) rest |= least & 1;
	for (let start = 0; start < list.length; ) {
		const natural = runLength(list, start, list.length, compare);
		const length = Math.max(natural, Math.min(list.length - start, least + rest));
		insertFrom(list, start, start + length, start + natural, compare);
		runs.push(start, length);
		start += length;
	}
	runs.mergeAll();
	return list;
}

/** Length of the run at a position; reverses a strictly descending one. */
function runLength<T>(list: T[], start: number, end: number, compare: Compare<T>): number {
	const isBefore = (at: number) => compare(list[at] as T, list[at - 1] as T) < 0;
	let at = start + 1;
	if (at === end) return 1;
	const descends = isBefore(at++);
	while (at < end && isBefore(at) === descends) at++;
	if (descends) for (const [i, value] of list.slice(start, at).reverse().entries()) list[start + i] = value;
	return at - start;
}

/** Binary insertion of the elements from `from` on into the sorted part before it. */
function insertFrom<T>(list: T[], start: number, end: number, from: number, compare: Compare<T>): void {
	for (let at = from; at < end; at++) {
		const value = list[at] as T;
		let [low, high] = [start, at];
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (compare(value, list[middle] as T) < 0) high = middle;
			else low = middle + 1;
		}
		list.copyWithin(low + 1, low, at);
		list[low] = value;
	}
}

/** A sorted slice of an array. */
interface Part<T> {
	readonly array: readonly T[];
	readonly start: number;
	readonly length: number;
}

/**
 * Number of elements that precede an inserted one, by exponential search from a hint.
 * @param goes whether an element precedes it; monotonic over the slice
 */
function gallop<T>({ array, start, length }: Part<T>, hint: number, goes: (element: T) => boolean): number {
	const at = (place: number) => goes(array[start + place] as T);
	const isUpwards = at(hint);
	const most = isUpwards ? length - hint : hint + 1;
	let [last, offset] = [0, 1];
	while (offset < most && at(isUpwards ? hint + offset : hint - offset) === isUpwards) {
		last = offset;
		offset = 2 * offset + 1;
	}
	offset = Math.min(offset, most);
	let [low, high] = isUpwards ? [hint + last + 1, hint + offset] : [hint - offset + 1, hint - last];
	while (low < high) {
		const middle = low + ((high - low) >>> 1);
		if (at(middle)) low = middle + 1;
		else high = middle;
	}
	return high;
}

interface Run {
	readonly start: number;
	readonly length: number;
}

/** Two runs being merged: a take returns whether to go on; `gallop1` counts elements before run 2's next. */
interface TwoRuns {
	take1(count: number): boolean;
	take2(count: number): boolean;
	gallop1(): number;
	gallop2(): number;
	/** Whether the second run gives the next element. */
	isSecond(): boolean;
}

/** Adjacent runs, merged so that their lengths stay balanced. */
class Runs<T> {
	private readonly runs: Run[] = [];
	private leastGallop = GALLOP_FROM;

	constructor(
		private readonly list: T[],
		private readonly compare: Compare<T>,
	) {}

	private length(at: number): number {
		return this.runs[at]?.length ?? Number.POSITIVE_INFINITY;
	}

	push(start: number, length: number): void {
		this.runs.push({ start, length });
		while (this.runs.length > 1) {
			const at = this.runs.length - 2;
			const isUneven =
				(at > 0 && this.length(at - 1) <= this.length(at) + this.length(at + 1)) ||
				(at > 1 && this.length(at - 2) <= this.length(at) + this.length(at - 1));
			if (isUneven) this.merge(this.length(at - 1) < this.length(at + 1) ? at - 1 : at);
			else if (this.length(at) <= this.length(at + 1)) this.merge(at);
			else return;
		}
	}

	mergeAll(): void {
		while (this.runs.length > 1) {
			const at = this.runs.length - 2;
			this.merge(this.length(at - 1) < this.length(at + 1) ? at - 1 : at);
		}
	}

	/** Merges a run with the next one, skipping elements already in place. */
	private merge(at: number): void {
		const { list: array, compare } = this;
		const [first, second] = this.runs.splice(at, 2) as [Run, Run];
		this.runs.splice(at, 0, { start: first.start, length: first.length + second.length });
		const head = array[second.start] as T;
		const skipped = gallop({ array, ...first }, 0, (element) => compare(head, element) >= 0);
		const left = { start: first.start + skipped, length: first.length - skipped };
		if (left.length === 0) return;
		const tail = array[second.start - 1] as T;
		const right = {
			start: second.start,
			length: gallop({ array, ...second }, second.length - 1, (element) => compare(tail, element) > 0),
		};
		if (right.length === 0) return;
		if (left.length <= right.length) this.mergeUp(left, right);
		else this.mergeDown(left, right);
	}

	/** Merges forwards; copies the first run. */
	private mergeUp(first: Run, second: Run): void {
		const { list, compare } = this;
		const copy = list.slice(first.start, second.start);
		let [from1, left1, from2, left2, to] = [0, first.length, second.start, second.length, first.start];
		const take1 = (count: number): boolean => {
			for (let i = 0; i < count; i++) list[to++] = copy[from1++] as T;
			left1 -= count;
			return left1 > 1;
		};
		const take2 = (count: number): boolean => {
			list.copyWithin(to, from2, from2 + count);
			[to, from2, left2] = [to + count, from2 + count, left2 - count];
			return left2 > 0;
		};
		const gallop1 = () => {
			const key = list[from2] as T;
			return gallop({ array: copy, start: from1, length: left1 }, 0, (each) => compare(key, each) >= 0);
		};
		const gallop2 = () => {
			const key = copy[from1] as T;
			return gallop({ array: list, start: from2, length: left2 }, 0, (each) => compare(key, each) > 0);
		};
		const isSecond = () => compare(list[from2] as T, copy[from1] as T) < 0;
		if (take2(1) && left1 > 1) this.alternate({ take1, take2, gallop1, gallop2, isSecond });
		if (left1 === 0) throw contradiction();
		if (left1 === 1) take2(left2);
		take1(left1);
	}

	/** Merges backwards; copies the second run. */
	private mergeDown(first: Run, second: Run): void {
		const { list, compare } = this;
		const copy = list.slice(second.start, second.start + second.length);
		let [left1, left2, to] = [first.length, second.length, second.start + second.length];
		const take1 = (count: number): boolean => {
			to -= count;
			left1 -= count;
			list.copyWithin(to, first.start + left1, first.start + left1 + count);
			return left1 > 0;
		};
		const take2 = (count: number): boolean => {
			for (let i = 0; i < count; i++) list[--to] = copy[--left2] as T;
			return left2 > 1;
		};
		const last1 = () => list[first.start + left1 - 1] as T;
		const last2 = () => copy[left2 - 1] as T;
		const gallop1 = () => {
			const key = last2();
			const part = { array: list, start: first.start, length: left1 };
			return left1 - gallop(part, left1 - 1, (each) => compare(key, each) >= 0);
		};
		const gallop2 = () => {
			const key = last1();
			const part = { array: copy, start: 0, length: left2 };
			return left2 - gallop(part, left2 - 1, (each) => compare(key, each) > 0);
		};
		const isSecond = () => compare(last2(), last1()) >= 0;
		if (take1(1) && left2 > 1) this.alternate({ take1, take2, gallop1, gallop2, isSecond });
		if (left2 === 0) throw contradiction();
		if (left2 === 1) take1(left1);
		take2(left2);
	}

	/** Alternates between one-by-one merging and galloping until one run is exhausted. */
	private alternate({ take1, take2, gallop1, gallop2, isSecond }: TwoRuns): void {
		this.leastGallop = Math.max(1, this.leastGallop);
		for (;;) {
			let [count1, count2] = [0, 0];
			do {
				if (isSecond()) {
					[count1, count2] = [0, count2 + 1];
					if (!take2(1)) return;
				} else {
					[count1, count2] = [count1 + 1, 0];
					if (!take1(1)) return;
				}
			} while (Math.max(count1, count2) < this.leastGallop);
			do {
				count1 = gallop1();
				if ((count1 > 0 && !take1(count1)) || !take2(1)) return;
				count2 = gallop2();
				if ((count2 > 0 && !take2(count2)) || !take1(1)) return;
				this.leastGallop--;
			} while (count1 >= GALLOP_FROM || count2 >= GALLOP_FROM);
			this.leastGallop = Math.max(0, this.leastGallop) + 2;
		}
	}
}
