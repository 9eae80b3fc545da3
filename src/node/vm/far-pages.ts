/**
 * Sparse memory far beyond the ordinary limit, which only precompiles write, in small pages allocated on
 * first write. A contract can create tens of thousands of pages in a call, so they are cut from pooled slabs.
 */

/** Bytes per page: small, since a single word may be all that is written. */
const PAGE = 256;
const SLAB_PAGES = 256;
const SLAB = PAGE * SLAB_PAGES;

/** Slabs kept in the pool: 4 MiB. */
const POOLED = 64;
const pool: Uint8Array[] = [];

export class FarPages {
	/** Index of each page over all slabs, by page number. */
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

	/** One byte; 0 if never written. */
	byte(offset: number): number {
		const place = this.places.get(Math.floor(offset / PAGE));
		if (place === undefined) return 0;
		return this.slabOf(place)[(place % SLAB_PAGES) * PAGE + (offset % PAGE)] as number;
	}

	/** Returns the slabs to the pool; the object must not be used afterwards. */
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
