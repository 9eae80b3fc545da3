/** The byte-addressed memory of a frame (protocol/machine §9.2). */

import { EMPTY } from "../../protocol/bytes.js";
import { memoryAt, memoryViewAt, PLACE_MEMORY, takePlace } from "./compiled/arena.js";
import { FarPages } from "./far-pages.js";
import { LARGE_CAPACITY, LargeBuffer } from "./large-buffer.js";
import { hostFailed, runtimeFailed, type VmError } from "./vm-error.js";
import { MAX_INT32, readWord, type Word, writeWord } from "./word.js";

/** The largest end of an operand; an end equal to it is allowed. */
export const MEMORY_LIMIT = 3_145_728;

/** Where memory ends that precompiles write without a charge. */
export const MEMORY_CEILING = 2 ** 30;

const FIRST_CAPACITY = 1024;

/** Bytes that the network's memory grows by. */
export const MEMORY_CHUNK = 1024;

/** Up to here memory is one range of bytes; the few words that are written beyond lie in {@link FarPages}. */
const NEAR = LARGE_CAPACITY;

/** Memories that are kept for other frames. A larger one has a {@link LargeBuffer}. */
const POOLED = 64;
const SMALL_CAPACITY = PLACE_MEMORY;
const pool: Memory[] = [];

export class Memory {
	/** Bytes in use; a multiple of 32. */
	size = 0;
	private bytes: Uint8Array;
	private view: DataView;
	/** Where compiled programs find it while it is small; undefined: nowhere. */
	private readonly ownPlace = takePlace(this);
	private large: LargeBuffer | undefined;
	private far: FarPages | undefined;
	/** {@link final} gave its bytes themselves away. */
	private isLent = false;

	private constructor() {
		[this.bytes, this.view] = this.smallest();
	}

	/** What an empty memory begins with. */
	private smallest(): [Uint8Array, DataView] {
		const { ownPlace: place } = this;
		if (place === undefined) return [EMPTY, new DataView(EMPTY.buffer, 0, 0)];
		return [memoryAt(place), memoryViewAt(place)];
	}

	/** Its place in the arena, as long as all of it is there. */
	get place(): number | undefined {
		return this.large ? undefined : this.ownPlace;
	}

	/** An empty memory. */
	static take(): Memory {
		return pool.pop() ?? new Memory();
	}

	/** Whether the bytes themselves were given away: they may be used until the memory is taken back. */
	get lent(): boolean {
		return this.isLent;
	}

	/** Empties the memory and keeps it for others, unless it is {@link lent}; it must not be used any more. */
	release(): void {
		if (!this.isLent) this.takeBack();
	}

	/** Empties the memory and keeps it for others, what was given of it too. */
	takeBack(): void {
		this.isLent = false;
		this.far?.release();
		this.far = undefined;
		if (this.large) {
			this.large.release();
			this.large = undefined;
			if (this.ownPlace !== undefined) memoryAt(this.ownPlace).fill(0);
			[this.bytes, this.view] = this.smallest();
		} else this.bytes.fill(0, 0, this.size);
		this.size = 0;
		if (pool.length < POOLED) pool.push(this);
	}

	/** Makes the first `end` bytes usable, rounded up to a whole word; new bytes are zero. */
	expand(end: number): void {
		if (end <= this.size) return;
		const size = Math.ceil(end / 32) * 32;
		if (size > this.bytes.length && this.bytes.length < NEAR) this.grow(size);
		this.size = size;
	}

	private grow(size: number): void {
		const old = this.bytes.subarray(0, this.size);
		if (size > SMALL_CAPACITY) {
			this.large = LargeBuffer.take();
			this.bytes = this.large.bytes;
			this.view = this.large.view;
			this.written(0, old.length);
		} else {
			const capacity = Math.min(SMALL_CAPACITY, Math.max(size, 2 * this.bytes.length, FIRST_CAPACITY));
			this.bytes = new Uint8Array(capacity);
			this.view = new DataView(this.bytes.buffer);
		}
		this.bytes.set(old);
	}

	/** Notes that bytes are written. */
	private written(offset: number, length: number): void {
		this.large?.written(offset, length);
	}

	/** Reads a word that lies within the memory in use, below {@link MEMORY_LIMIT}. */
	loadWord(offset: number): Word {
		return readWord(this.view, offset);
	}

	/** Writes a word that lies within the memory in use. */
	storeWord(offset: number, word: Word): void {
		if (this.large) this.large.written(offset, 32);
		writeWord(this.view, offset, word);
	}

	storeByte(offset: number, byte: number): void {
		this.written(offset, 1);
		this.bytes[offset] = byte;
	}

	/** A copy of a range, expanding the memory to it; empty for size 0, whatever the offset. */
	copy(offset: number, size: number): Uint8Array {
		if (size === 0) return EMPTY;
		this.expand(offset + size);
		const copy = Buffer.allocUnsafe(size);
		copy.set(this.bytes.subarray(offset, offset + size));
		return copy;
	}

	/** The bytes themselves, expanding the memory to them; valid until the next write. */
	peek(offset: number, size: number): Uint8Array {
		if (size === 0) return EMPTY;
		this.expand(offset + size);
		return this.bytes.subarray(offset, offset + size);
	}

	/** A copy of a range for whoever only looks on: the memory stays as it is, beyond its end are zeros. */
	look(offset: number, size: number): Uint8Array {
		const copy = new Uint8Array(size);
		const end = Math.min(offset + size, this.size, MEMORY_LIMIT);
		if (offset >= 0 && offset < end) copy.set(this.bytes.subarray(offset, end));
		return copy;
	}

	/**
	 * A range after which the memory is not written any more, expanding it: the bytes themselves where they are many, and
	 * the memory is then {@link lent}. Of a large memory few bytes are a copy, so that they don't keep all of it.
	 */
	final(offset: number, size: number): Uint8Array {
		if (size <= SMALL_CAPACITY) return this.copy(offset, size);
		this.isLent = true;
		return this.peek(offset, size);
	}

	/** Writes all of `data`, expanding the memory to it, beyond {@link MEMORY_LIMIT} too. */
	store(offset: number, data: Uint8Array): void {
		if (data.length === 0) return;
		this.expand(offset + data.length);
		const near = Math.max(0, Math.min(NEAR - offset, data.length));
		if (near > 0) {
			this.written(offset, near);
			this.bytes.set(data.subarray(0, near), offset);
		}
		if (near === data.length) return;
		this.far ??= new FarPages();
		this.far.store(offset + near, data.subarray(near));
	}

	/** Reads a word of the memory in use that may lie beyond {@link MEMORY_LIMIT}. */
	loadFarWord(offset: number): Word {
		if (offset + 32 <= NEAR) return this.loadWord(offset);
		const bytes = new Uint8Array(32);
		for (let i = 0; i < 32; i++) {
			const at = offset + i;
			bytes[i] = (at < NEAR ? this.bytes[at] : this.far?.byte(at)) ?? 0;
		}
		return readWord(new DataView(bytes.buffer), 0);
	}

	/** Writes what of `data` fits the memory in use, which is below {@link MEMORY_LIMIT}. @param owner the memory whose bytes they are */
	storeWithin(offset: number, data: Uint8Array, owner?: Memory): void {
		if (offset >= this.size) return;
		const fitting = data.subarray(0, this.size - offset);
		const pages = owner?.lent ? owner.large : undefined;
		if (!pages || !this.large || fitting.length === 0) {
			this.written(offset, fitting.length);
			this.bytes.set(fitting, offset);
			return;
		}
		for (const { at, length, isWritten } of pages.runs(fitting.byteOffset, fitting.length)) {
			if (isWritten) {
				this.written(offset + at, length);
				this.bytes.set(fitting.subarray(at, at + length), offset + at);
			} else this.large.clear(offset + at, length);
		}
	}

	/** Copies `size` bytes of `source` from `from` on; zeros where the source ends. */
	storePadded(offset: number, source: Uint8Array, from: number, size: number): void {
		if (size === 0) return;
		this.expand(offset + size);
		this.written(offset, size);
		const part = from < source.length ? source.subarray(from, from + size) : EMPTY;
		this.bytes.set(part, offset);
		this.bytes.fill(0, offset + part.length, offset + size);
	}

	/** Moves a range that may overlap its target. */
	move(target: number, source: number, size: number): void {
		if (size === 0) return;
		this.expand(Math.max(target, source) + size);
		this.written(target, size);
		this.bytes.copyWithin(target, source, source + size);
	}
}

/** Memory is a list of chunks for the network, which looks for one that isn't there. */
export function chunkMissing(memory: Memory, offset: number): VmError {
	const chunks = Math.ceil(memory.size / MEMORY_CHUNK);
	const chunk = Math.trunc(offset / MEMORY_CHUNK);
	return runtimeFailed("java.lang.IndexOutOfBoundsException", `Index: ${chunk}, Size: ${chunks}`);
}

/**
 * Checks an access that no energy limits. An end beyond 31 bits wraps for the network: an empty memory doesn't even
 * grow, any other one by too much.
 * @throws {VmError} where the network's memory can't grow so far
 */
export function checkCeiling(memory: Memory, offset: number, size: number): void {
	if (offset + size > MAX_INT32 && memory.size === 0) throw chunkMissing(memory, offset);
	if (offset + size > MEMORY_CEILING) throw hostFailed();
}

/** What a memory of this many words costs in all. */
function totalCost(words: number): number {
	return 3 * words + Math.floor((words * words) / 512);
}

/** Energy to grow a memory from `size` bytes to `end` bytes. */
export function expansionCost(size: number, end: number): number {
	if (end <= size) return 0;
	return totalCost(Math.ceil(end / 32)) - totalCost(size / 32);
}

/** End of an operand in memory, 0 for size 0; Infinity-like values stay above every limit. */
export function operandEnd(offset: Word, size: Word): number {
	return size === 0 ? 0 : Number(offset) + Number(size);
}
