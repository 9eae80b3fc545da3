/** A frame's byte-addressed memory (protocol/machine §9.2). */

import { EMPTY } from "../../protocol/bytes.js";
import { memoryAt, memoryViewAt, PLACE_MEMORY, takePlace } from "./compiled/arena.js";
import { FarPages } from "./far-pages.js";
import { LARGE_CAPACITY, LargeBuffer } from "./large-buffer.js";
import { hostFailed, runtimeFailed, type VmError } from "./vm-error.js";
import { MAX_INT32, readWord, type Word, writeWord } from "./word.js";

/** Maximum end of an operand, inclusive. */
export const MEMORY_LIMIT = 3_145_728;

/** Maximum size of memory that precompiles grow without charge. */
export const MEMORY_CEILING = 2 ** 30;

const FIRST_CAPACITY = 1024;

/** Bytes by which the network grows memory. */
export const MEMORY_CHUNK = 1024;

/** Size of the contiguous part of memory; the few words written beyond are in {@link FarPages}. */
const NEAR = LARGE_CAPACITY;

/** Number of pooled memories. Larger ones use a {@link LargeBuffer}. */
const POOLED = 64;
const SMALL_CAPACITY = PLACE_MEMORY;
const pool: Memory[] = [];

export class Memory {
	/** Bytes in use; a multiple of 32. */
	size = 0;
	private bytes: Uint8Array;
	private view: DataView;
	/** Place in the compiled programs' arena, used while the memory is small; undefined: none. */
	private readonly ownPlace = takePlace(this);
	private large: LargeBuffer | undefined;
	private far: FarPages | undefined;
	/** {@link final} handed out the bytes without copying. */
	private isLent = false;

	private constructor() {
		[this.bytes, this.view] = this.smallest();
	}

	/** Storage of an empty memory. */
	private smallest(): [Uint8Array, DataView] {
		const { ownPlace: place } = this;
		if (place === undefined) return [EMPTY, new DataView(EMPTY.buffer, 0, 0)];
		return [memoryAt(place), memoryViewAt(place)];
	}

	/** Its place in the arena, if all of it is there. */
	get place(): number | undefined {
		return this.large ? undefined : this.ownPlace;
	}

	/** Takes an empty memory from the pool. */
	static take(): Memory {
		return pool.pop() ?? new Memory();
	}

	/** Whether the bytes were handed out without copying: they may be used until the memory is taken back. */
	get lent(): boolean {
		return this.isLent;
	}

	/** Empties the memory and returns it to the pool, unless it is {@link lent}; it must not be used afterwards. */
	release(): void {
		if (!this.isLent) this.takeBack();
	}

	/** Empties the memory and returns it to the pool, even if its bytes were lent. */
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

	/** Expands the memory to `end` bytes, rounded up to a whole word; new bytes are zero. */
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

	/** Marks bytes as written. */
	private written(offset: number, length: number): void {
		this.large?.written(offset, length);
	}

	/** Reads a word within the memory in use, below {@link MEMORY_LIMIT}. */
	loadWord(offset: number): Word {
		return readWord(this.view, offset);
	}

	/** Writes a word within the memory in use. */
	storeWord(offset: number, word: Word): void {
		if (this.large) this.large.written(offset, 32);
		writeWord(this.view, offset, word);
	}

	storeByte(offset: number, byte: number): void {
		this.written(offset, 1);
		this.bytes[offset] = byte;
	}

	/** Copies a range, expanding the memory; empty for size 0, whatever the offset. */
	copy(offset: number, size: number): Uint8Array {
		if (size === 0) return EMPTY;
		this.expand(offset + size);
		const copy = Buffer.allocUnsafe(size);
		copy.set(this.bytes.subarray(offset, offset + size));
		return copy;
	}

	/** A view of a range, expanding the memory; valid until the next write. */
	peek(offset: number, size: number): Uint8Array {
		if (size === 0) return EMPTY;
		this.expand(offset + size);
		return this.bytes.subarray(offset, offset + size);
	}

	/** Copies a range for observers: doesn't expand the memory, and reads zeros beyond its end. */
	look(offset: number, size: number): Uint8Array {
		const copy = new Uint8Array(size);
		const end = Math.min(offset + size, this.size, MEMORY_LIMIT);
		if (offset >= 0 && offset < end) copy.set(this.bytes.subarray(offset, end));
		return copy;
	}

	/**
	 * The output range of a frame that won't write memory again, expanding it: a view for large ranges, which
	 * makes the memory {@link lent}; otherwise a copy, so that a few bytes don't retain a large memory.
	 */
	final(offset: number, size: number): Uint8Array {
		if (size <= SMALL_CAPACITY) return this.copy(offset, size);
		this.isLent = true;
		return this.peek(offset, size);
	}

	/** Writes all of `data`, expanding the memory, even beyond {@link MEMORY_LIMIT}. */
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

	/** Reads a word of the memory in use, which may be beyond {@link MEMORY_LIMIT}. */
	loadFarWord(offset: number): Word {
		if (offset + 32 <= NEAR) return this.loadWord(offset);
		const bytes = new Uint8Array(32);
		for (let i = 0; i < 32; i++) {
			const at = offset + i;
			bytes[i] = (at < NEAR ? this.bytes[at] : this.far?.byte(at)) ?? 0;
		}
		return readWord(new DataView(bytes.buffer), 0);
	}

	/**
	 * Writes the part of `data` that fits the memory in use, which is below {@link MEMORY_LIMIT}. @param owner
	 * the memory of `data`
	 */
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

	/** Copies `size` bytes of `source` starting at `from`, zero-padded beyond its end. */
	storePadded(offset: number, source: Uint8Array, from: number, size: number): void {
		if (size === 0) return;
		this.expand(offset + size);
		this.written(offset, size);
		const part = from < source.length ? source.subarray(from, from + size) : EMPTY;
		this.bytes.set(part, offset);
		this.bytes.fill(0, offset + part.length, offset + size);
	}

	/** Copies a range within the memory; source and target may overlap. */
	move(target: number, source: number, size: number): void {
		if (size === 0) return;
		this.expand(Math.max(target, source) + size);
		this.written(target, size);
		this.bytes.copyWithin(target, source, source + size);
	}
}

/** The network's error for access to a missing chunk; its memory is a list of chunks. */
export function chunkMissing(memory: Memory, offset: number): VmError {
	const chunks = Math.ceil(memory.size / MEMORY_CHUNK);
	const chunk = Math.trunc(offset / MEMORY_CHUNK);
	return runtimeFailed("java.lang.IndexOutOfBoundsException", `Index: ${chunk}, Size: ${chunks}`);
}

/**
 * Checks an access that energy doesn't limit. If its end exceeds 31 bits, it overflows in the network's
 * runtime: an empty memory doesn't grow at all, others grow by too much.
 * @throws {VmError} where the network's memory can't grow so far
 */
export function checkCeiling(memory: Memory, offset: number, size: number): void {
	if (offset + size > MAX_INT32 && memory.size === 0) throw chunkMissing(memory, offset);
	if (offset + size > MEMORY_CEILING) throw hostFailed();
}

/** Total cost of a memory of that many words. */
function totalCost(words: number): number {
	return 3 * words + Math.floor((words * words) / 512);
}

/** Energy to expand memory from `size` to `end` bytes. */
export function expansionCost(size: number, end: number): number {
	if (end <= size) return 0;
	return totalCost(Math.ceil(end / 32)) - totalCost(size / 32);
}

/** End of a memory operand, 0 for size 0; huge operands stay above every limit. */
export function operandEnd(offset: Word, size: Word): number {
	return size === 0 ? 0 : Number(offset) + Number(size);
}
