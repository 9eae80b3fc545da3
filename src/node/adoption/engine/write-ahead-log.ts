/** The newest writes: batches of the live logs, newer than any table, held in memory and sorted. */

import { ByteReader, FormatError } from "./byte-reader.js";
import { ForeignFile, ForeignStoreError } from "./foreign-file.js";
import {
	DELETION,
	type EntrySource,
	refusedType,
	SINGLE_DELETION,
	type TableKeyOrder,
	VALUE,
} from "./key-order.js";
import { MAX_LOG_ENTRIES, type OpenMemory, requireKeyLength } from "./limits.js";
import { LogRecords } from "./log-records.js";

/** Batch operations with a column family number, and their equivalents without. */
const WITH_COLUMN_FAMILY: ReadonlyMap<number, number> = new Map([
	[4, DELETION],
	[5, VALUE],
	[8, SINGLE_DELETION],
]);
const LOG_DATA = 3;
const NOOP = 13;

const INITIAL_ENTRIES = 1024;
/** Four offsets of four bytes and a sequence number; at most two more offsets while sorting. */
const PLACES_BYTES = 32;

/** The entries of all live logs of a store. */
export class LogEntries {
	readonly notes: string[] = [];
	count = 0;
	/** Unframed records of all logs; the arrays below are offsets into it. */
	private bytes: Buffer;
	private used = 0;
	private keyStarts = new Uint32Array(INITIAL_ENTRIES);
	private keyLengths = new Uint32Array(INITIAL_ENTRIES);
	/** 0 for a deletion: no value precedes the first batch's header. */
	private valueStarts = new Uint32Array(INITIAL_ENTRIES);
	private valueLengths = new Uint32Array(INITIAL_ENTRIES);
	private sequences = new Float64Array(INITIAL_ENTRIES);
	private order = new Uint32Array(0);
	private nextSequence: number | undefined;
	private held = 0;

	/**
	 * Takes memory until {@link close}, even if it fails.
	 * @param lastSequence the highest sequence number that tables can have: the first batch must go on there or before
	 * @throws {ForeignStoreError}
	 */
	constructor(
		private readonly keyOrder: TableKeyOrder,
		private readonly lastSequence: number,
		size: number,
		private readonly memory: OpenMemory,
	) {
		this.hold(size);
		this.bytes = Buffer.allocUnsafe(size);
	}

	private hold(bytes: number): void {
		this.memory.take(bytes);
		this.held += bytes;
	}

	close(): void {
		this.memory.giveBack(this.held);
		this.held = 0;
	}

	/** Adds a log; call in log number order, then {@link sort}. @throws {ForeignStoreError} */
	add(path: string): void {
		const file = new ForeignFile(path);
		try {
			const records = new LogRecords(file);
			let start = this.used;
			let offset = 0;
			for (const { data, isFirst, isLast, offset: at } of records.fragments()) {
				if (isFirst) offset = at;
				if (this.used + data.length > this.bytes.length) throw file.fault("grew while it was read");
				this.used += data.copy(this.bytes, this.used);
				if (!isLast) continue;
				this.addBatch(start, file, offset);
				start = this.used;
			}
			if (records.tornAt !== undefined) {
				this.used = start;
				this.notes.push(
					`${path} ends within the record at byte ${records.tornAt}, as a kill leaves it: that record was left out, as the engine does`,
				);
			}
		} finally {
			file.close();
		}
	}

	private addBatch(start: number, file: ForeignFile, offset: number): void {
		try {
			this.readBatch(new ByteReader(this.bytes, start, this.used));
		} catch (error) {
			if (!(error instanceof FormatError)) throw error;
			throw file.fault(`can't be used: the batch at byte ${offset} ${error.message}`);
		}
	}

	private readBatch(batch: ByteReader): void {
		const first = batch.fixed64();
		const count = batch.fixed32();
		const expected = this.nextSequence;
		if (expected === undefined ? first > this.lastSequence + 1 : first !== expected) {
			throw new FormatError(
				`begins with sequence number ${first} and not ${expected ?? this.lastSequence + 1}: what was written before it is missing`,
			);
		}
		let found = 0;
		while (!batch.isAtEnd) if (this.operation(batch, first + found)) found++;
		if (found !== count) throw new FormatError(`has ${found} operations and not ${count}`);
		this.nextSequence = first + count;
	}

	/** @returns whether the operation has a sequence number */
	private operation(batch: ByteReader, sequence: number): boolean {
		const tag = batch.byte();
		if (tag === NOOP) return false;
		if (tag === LOG_DATA) {
			batch.string();
			return false;
		}
		const type = WITH_COLUMN_FAMILY.get(tag) ?? tag;
		if (type !== tag && batch.varint() !== 0) {
			throw new FormatError("has a second column family, which the reference doesn't make");
		}
		if (type !== VALUE && type !== DELETION && type !== SINGLE_DELETION) {
			throw new FormatError(
				`has an operation that is ${refusedType(type)}, which the reference doesn't make`,
			);
		}
		const keyLength = batch.varint();
		const keyStart = batch.advance(keyLength);
		const valueLength = type === VALUE ? batch.varint() : 0;
		const valueStart = batch.advance(valueLength);
		this.push(keyStart, keyLength, type === VALUE ? valueStart : 0, valueLength, sequence);
		return true;
	}

	private push(
		keyStart: number,
		keyLength: number,
		valueStart: number,
		valueLength: number,
		sequence: number,
	) {
		requireKeyLength(keyLength);
		const at = this.count;
		if (at >= MAX_LOG_ENTRIES)
			throw new FormatError(`is beyond the ${MAX_LOG_ENTRIES} entries that logs may have`);
		if (at === this.keyStarts.length) this.grow();
		this.keyStarts[at] = keyStart;
		this.keyLengths[at] = keyLength;
		this.valueStarts[at] = valueStart;
		this.valueLengths[at] = valueLength;
		this.sequences[at] = sequence;
		this.count++;
	}

	private grow(): void {
		const length = 2 * this.keyStarts.length;
		this.hold((length - this.keyStarts.length) * PLACES_BYTES);
		const larger = (before: Uint32Array) => {
			const after = new Uint32Array(length);
			after.set(before);
			return after;
		};
		this.keyStarts = larger(this.keyStarts);
		this.keyLengths = larger(this.keyLengths);
		this.valueStarts = larger(this.valueStarts);
		this.valueLengths = larger(this.valueLengths);
		const sequences = new Float64Array(length);
		sequences.set(this.sequences);
		this.sequences = sequences;
	}

	/** Sorts the entries and drops overwritten ones. @throws {ForeignStoreError} */
	sort(path: string): void {
		const all = Uint32Array.from({ length: this.count }, (_, i) => i);
		try {
			// Entries were added in sequence number order.
			all.sort((a, b) => this.compare(a, b) || b - a);
		} catch (error) {
			if (!(error instanceof FormatError)) throw error;
			throw new ForeignStoreError(path, `can't be used: one of its logs ${error.message}`);
		}
		let kept = 0;
		for (const entry of all) {
			if (kept > 0 && this.compare(all[kept - 1] as number, entry) === 0) continue;
			all[kept++] = entry;
		}
		this.order = all.slice(0, kept);
	}

	private compare(a: number, b: number): number {
		return this.keyOrder.compare(
			this.keyOf(a),
			this.keyLengths[a] as number,
			this.keyOf(b),
			this.keyLengths[b] as number,
		);
	}

	private placeAfter(key: Uint8Array): number {
		let [low, high] = [0, this.order.length];
		while (low < high) {
			const middle = (low + high) >>> 1;
			const entry = this.order[middle] as number;
			const order = this.keyOrder.compare(
				this.keyOf(entry),
				this.keyLengths[entry] as number,
				key,
				key.length,
			);
			if (order <= 0) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	private keyOf(entry: number): Uint8Array {
		const start = this.keyStarts[entry] as number;
		return this.bytes.subarray(start, start + (this.keyLengths[entry] as number));
	}

	/** The entries in order, optionally only those after a key; may be iterated repeatedly. */
	source(after?: Uint8Array): EntrySource {
		return new LogSource(
			after ? this.order.subarray(this.placeAfter(after)) : this.order,
			(entry) => this.keyOf(entry),
			this.sequences,
			(entry) => {
				const start = this.valueStarts[entry] as number;
				return start === 0
					? undefined
					: this.bytes.subarray(start, start + (this.valueLengths[entry] as number));
			},
		);
	}
}

class LogSource implements EntrySource {
	/** Logs are newer than all tables. */
	readonly rank = -1;
	key = new Uint8Array(0);
	keyLength = 0;
	sequence = 0;
	isDeletion = false;
	private present: Uint8Array | undefined;
	private at = 0;

	constructor(
		private readonly order: Uint32Array,
		private readonly keyOf: (entry: number) => Uint8Array,
		private readonly sequences: Float64Array,
		private readonly valueAt: (entry: number) => Uint8Array | undefined,
	) {}

	value(): Uint8Array {
		return this.present ?? new Uint8Array(0);
	}

	next(): boolean {
		if (this.at === this.order.length) return false;
		const entry = this.order[this.at++] as number;
		this.key = this.keyOf(entry) as Uint8Array<ArrayBuffer>;
		this.keyLength = this.key.length;
		this.sequence = this.sequences[entry] as number;
		this.present = this.valueAt(entry);
		this.isDeletion = this.present === undefined;
		return true;
	}

	close(): void {}
}
