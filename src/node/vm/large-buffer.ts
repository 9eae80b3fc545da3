/**
 * The bytes of a large memory. Contracts can grow a memory to megabytes for a hundred units of energy (a precompiled
 * contract's output grows it without a charge), so neither growing nor giving it up may take the time of its size: buffers
 * are used again, and what is cleared then is what was written.
 */

/** Bytes of a buffer. */
export const LARGE_CAPACITY = 2 ** 22;

const PAGE_SHIFT = 12;
const PAGE = 1 << PAGE_SHIFT;

/** A page's flags: written since the buffer was taken; ever written, so that it takes up memory of the machine. */
const WRITTEN = 1;
const RESIDENT = 2;

/** Buffers that are kept: as many as frames nest, but no more than this of the machine's memory, in pages. */
const POOLED = 64;
const POOLED_PAGES = (32 << 20) / PAGE;
const pool: LargeBuffer[] = [];
let pooledPages = 0;

/** Bytes that the kept buffers reserve; of these at most 32 MiB are memory of the machine. */
export function pooledBytes(): number {
	return pool.length * LARGE_CAPACITY;
}

/** Bytes of a buffer side by side that were all written, or none of them. */
export interface Run {
	/** From the start of the range that was asked for. */
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

	/** A buffer of zeros. */
	static take(): LargeBuffer {
		const buffer = pool.pop();
		if (!buffer) return new LargeBuffer();
		pooledPages -= buffer.residentPages;
		return buffer;
	}

	/** Clears the buffer and keeps it for others. */
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

	/** Notes a range that is about to be written. */
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

	/** Makes a range zero, which costs nothing where nothing was written. */
	clear(offset: number, length: number): void {
		for (const { at, length: part, isWritten } of this.runs(offset, length)) {
			if (isWritten) this.bytes.fill(0, offset + at, offset + at + part);
		}
	}

	/** A range, page by page. */
	*runs(offset: number, length: number): Generator<Run> {
		for (let at = 0; at < length; ) {
			const page = (offset + at) >> PAGE_SHIFT;
			const part = Math.min(((page + 1) << PAGE_SHIFT) - offset - at, length - at);
			yield { at, length: part, isWritten: ((this.flags[page] as number) & WRITTEN) !== 0 };
			at += part;
		}
	}
}
