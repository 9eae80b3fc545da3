/**
 * Bytes far beyond the ordinary end of memory, which only precompiled contracts write: small pages, where anything was written.
 * A contract can make tens of thousands of them in a call, so pages are cut out of slabs that are used again.
 */

/** Bytes of a page: few, since one word may be all that is written. */
const PAGE = 256;
const SLAB_PAGES = 256;
const SLAB = PAGE * SLAB_PAGES;

/** Slabs that are kept for others: 4 MiB. */
const POOLED = 64;
const pool: Uint8Array[] = [];

export class FarPages {
	/** Places of pages, counted over all slabs, by page. */
	private readonly places = new Map<number, number>();
	private readonly slabs: Uint8Array[] = [];

	/** Writes all of `data`. */
	store(offset: number, data: Uint8Array): void {
		for (let at = 0; at < data.length; ) {
			const from = (offset + at) % PAGE;
			const part = data.subarray(at, at + PAGE - from);
			const place = this.place(Math.floor((offset + at) / PAGE));
			this.slabOf(place).set(part, (place % SLAB_PAGES) * PAGE + from);
			at += part.length;
		}
	}

	/** One byte; 0 where nothing was written. */
	byte(offset: number): number {
		const place = this.places.get(Math.floor(offset / PAGE));
		if (place === undefined) return 0;
		return this.slabOf(place)[(place % SLAB_PAGES) * PAGE + (offset % PAGE)] as number;
	}

	/** Keeps the slabs for others; it must not be used any more. */
	release(): void {
		for (const slab of this.slabs) if (pool.length < POOLED) pool.push(slab);
	}

	private slabOf(place: number): Uint8Array {
		return this.slabs[Math.floor(place / SLAB_PAGES)] as Uint8Array;
	}

	private place(page: number): number {
		const known = this.places.get(page);
		if (known !== undefined) return known;
		const place = this.places.size;
		if (place === this.slabs.length * SLAB_PAGES) {
			const slab = pool.pop();
			this.slabs.push(slab?.fill(0) ?? new Uint8Array(SLAB));
		}
		this.places.set(page, place);
		return place;
	}
}
