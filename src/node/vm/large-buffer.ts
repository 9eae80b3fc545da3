/**
 * Buffers for large memories. Contracts can grow a memory to megabytes for about a hundred energy (a
 * precompile's output even grows it for free), so neither growing nor releasing one may take time
 * proportional to its size: buffers are pooled, and only written pages are cleared.
 */

/** Buffer size in bytes. */
export const LARGE_CAPACITY = 2 ** 22;

const PAGE_SHIFT = 12;
const PAGE = 1 << PAGE_SHIFT;

/** Page flags: written since the buffer was taken; ever written, so backed by physical memory. */
const WRITTEN = 1;
const RESIDENT = 2;

/** Limits of the pool: one buffer for each level of frame nesting, and this many resident pages. */
const POOLED = 64;
const POOLED_PAGES = (32 << 20) / PAGE;
const pool: LargeBuffer[] = [];
let pooledPages = 0;

/** Bytes of address space reserved by the pool; at most 32 MiB of it is resident. */
export function pooledBytes(): number {
	return pool.length * LARGE_CAPACITY;
}

/** A range of consecutive bytes that is either written or untouched. */
export interface Run {
	/** Offset from the start of the requested range. */
	readonly at: number;
	readonly length: number;
	readonly isWritten: boolean;
}

export class LargeBuffer {
	readonly bytes = new Uint8Array(LARGE_CAPACITY);
	readonly view = new DataView<ArrayBufferLike>(this.bytes.buffer);
	private readonly flags = new Uint8Array(LARGE_CAPACITY / PAGE);
	private writtenPages: number[] = [];
	private residentPages = 0;

	/** Takes a zeroed buffer. */
	static take(): LargeBuffer {
		const buffer = pool.pop();
		if (!buffer) return new LargeBuffer();
		pooledPages -= buffer.residentPages;
		return buffer;
	}

	/** Clears the buffer and returns it to the pool. */
	release(): void {
		if (pool.length >= POOLED || pooledPages + this.residentPages > POOLED_PAGES) return;
		for (const page of this.writtenPages) {
			this.bytes.fill(0, page << PAGE_SHIFT, (page + 1) << PAGE_SHIFT);
			this.flags[page] = RESIDENT;
		}
		this.writtenPages = [];
		pooledPages += this.residentPages;
		pool.push(this);
	}

	/** Marks a range that is about to be written. */
	written(offset: number, length: number): void {
		if (length === 0) return;
		const last = (offset + length - 1) >> PAGE_SHIFT;
		for (let page = offset >> PAGE_SHIFT; page <= last; page++) {
			const flags = this.flags[page] as number;
			if (flags & WRITTEN) continue;
			if (!(flags & RESIDENT)) this.residentPages++;
			this.flags[page] = WRITTEN | RESIDENT;
			this.writtenPages.push(page);
		}
	}

	/** Zeroes a range; free where nothing was written. */
	clear(offset: number, length: number): void {
		for (const { at, length: part, isWritten } of this.runs(offset, length)) {
			if (isWritten) this.bytes.fill(0, offset + at, offset + at + part);
		}
	}

	/** Splits a range by page. */
	*runs(offset: number, length: number): Generator<Run> {
		for (let at = 0; at < length; ) {
			const page = (offset + at) >> PAGE_SHIFT;
			const part = Math.min(((page + 1) << PAGE_SHIFT) - offset - at, length - at);
			yield { at, length: part, isWritten: ((this.flags[page] as number) & WRITTEN) !== 0 };
			at += part;
		}
	}
}
