/** The tables of a store by what they hold, in little memory: old blocks of the network lie in hundreds of thousands. */

import { basename, extname, join } from "node:path";
import { INTERNAL_BYTES } from "./block.js";
import type { LocatedTable } from "./table-chain.js";

/** Where a table lies, and how large it has to be. */
export interface TablePlace {
	readonly number: number;
	readonly path: string;
	readonly size: number;
}

/** Tables of one level that follow each other without overlapping. */
export class TableList {
	readonly level: number;
	private readonly numbers: Float64Array;
	private readonly sizes: Float64Array;
	/** Their first and last keys in turn, without sequence number and type, and where each of these ends. */
	private readonly bounds: Buffer;
	private readonly ends: Uint32Array;
	private readonly endings: string[];

	/** @param tables in the order of their keys, which is that of bytes */
	constructor(
		private readonly directory: string,
		tables: readonly LocatedTable[],
	) {
		this.level = tables[0]?.level ?? 0;
		this.numbers = Float64Array.from(tables, ({ number }) => number);
		this.sizes = Float64Array.from(tables, ({ size }) => size);
		const keys = tables.flatMap(({ smallest, largest }) => [
			smallest.subarray(0, -INTERNAL_BYTES),
			largest.subarray(0, -INTERNAL_BYTES),
		]);
		this.bounds = Buffer.concat(keys);
		let end = 0;
		this.ends = Uint32Array.from(keys, (key) => {
			end += key.length;
			return end;
		});
		// Two texts in all, however many tables there are.
		this.endings = tables.map(({ path }) => (extname(basename(path)) === ".sst" ? ".sst" : ".ldb"));
	}

	/** The table that holds a key, if any does; the newest entry of a key that two of them share is in the first. */
	tableOf(key: Uint8Array): TablePlace | undefined {
		let [low, high] = [0, this.numbers.length];
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (Buffer.compare(this.bound(2 * middle + 1), key) < 0) low = middle + 1;
			else high = middle;
		}
		if (low === this.numbers.length || Buffer.compare(this.bound(2 * low), key) > 0) return undefined;
		const number = this.numbers[low] as number;
		const name = `${String(number).padStart(6, "0")}${this.endings[low]}`;
		return { number, path: join(this.directory, name), size: this.sizes[low] as number };
	}

	private bound(at: number): Uint8Array {
		return this.bounds.subarray(at === 0 ? 0 : (this.ends[at - 1] as number), this.ends[at]);
	}
}
