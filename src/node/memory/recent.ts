/**
 * A map of recent entries, bounded in number and age, with constant-time operations however full it is.
 *
 * A plain `Map` isn't enough: finding its first key walks all deleted slots, so evicting the oldest entry of
 * a full cache of 20,000 took longer than everything else a message needs. Here the entries are also linked
 * by age, through slot arrays that grow on demand.
 */

const NONE = -1;
const FIRST_SLOTS = 16;

/** Values by key; the oldest are evicted first. Putting an existing key keeps its age. */
export class Recent<V = true> {
	private readonly slots = new Map<string, number>();
	private keys: string[] = [];
	private values: (V | undefined)[] = [];
	private since = new Float64Array(0);
	/** The next older and newer entry's slot; for a free slot, the next free one. */
	private older = new Int32Array(0);
	private newer = new Int32Array(0);
	private oldest = NONE;
	private newest = NONE;
	private free = NONE;
	private weight = 0;

	/**
	 * @param capacity maximum entries, at least one
	 * @param lifeMs how long an entry is kept; Infinity: forever
	 * @param room maximum total weight; a heavier value is kept alone
	 */
	constructor(
		private readonly capacity: number,
		private readonly lifeMs: number,
		private readonly now: () => number,
		private readonly room = Number.POSITIVE_INFINITY,
		private readonly weigh: (value: V) => number = () => 0,
	) {}

	/** Number of entries, including expired ones not yet evicted. */
	get size(): number {
		return this.slots.size;
	}

	/** @returns whether it is new */
	put(key: string, value: V): boolean {
		const now = this.now();
		this.expire(now);
		if (this.slots.has(key)) return false;
		this.append(key, value, now);
		return true;
	}

	/** Puts an entry as new, whether or not it exists. */
	renew(key: string, value: V): void {
		const now = this.now();
		this.expire(now);
		const slot = this.slots.get(key);
		if (slot === undefined) {
			this.append(key, value, now);
			return;
		}
		this.weight += this.weigh(value) - this.weigh(this.values[slot] as V);
		this.values[slot] = value;
		this.since[slot] = now;
		if (slot !== this.newest) {
			this.unlink(slot);
			this.link(slot);
		}
		this.shrink();
	}

	get(key: string): V | undefined {
		const slot = this.fresh(key);
		return slot === undefined ? undefined : this.values[slot];
	}

	has(key: string): boolean {
		return this.fresh(key) !== undefined;
	}

	/** When the entry was put; undefined if it isn't kept. */
	sinceMs(key: string): number | undefined {
		const slot = this.fresh(key);
		return slot === undefined ? undefined : this.since[slot];
	}

	delete(key: string): void {
		const slot = this.slots.get(key);
		if (slot !== undefined) this.remove(slot);
	}

	private fresh(key: string): number | undefined {
		const slot = this.slots.get(key);
		return slot !== undefined && this.now() - (this.since[slot] as number) <= this.lifeMs ? slot : undefined;
	}

	private expire(now: number): void {
		const earliest = now - this.lifeMs;
		while (this.oldest !== NONE && (this.since[this.oldest] as number) < earliest) this.remove(this.oldest);
	}

	private append(key: string, value: V, now: number): void {
		if (this.slots.size >= this.capacity) this.remove(this.oldest);
		if (this.free === NONE) this.grow();
		const slot = this.free;
		this.free = this.newer[slot] as number;
		this.keys[slot] = key;
		this.values[slot] = value;
		this.since[slot] = now;
		this.slots.set(key, slot);
		this.link(slot);
		this.weight += this.weigh(value);
		this.shrink();
	}

	private shrink(): void {
		while (this.weight > this.room && this.oldest !== this.newest) this.remove(this.oldest);
	}

	private link(slot: number): void {
		this.older[slot] = this.newest;
		this.newer[slot] = NONE;
		if (this.newest === NONE) this.oldest = slot;
		else this.newer[this.newest] = slot;
		this.newest = slot;
	}

	private unlink(slot: number): void {
		const older = this.older[slot] as number;
		const newer = this.newer[slot] as number;
		if (older === NONE) this.oldest = newer;
		else this.newer[older] = newer;
		if (newer === NONE) this.newest = older;
		else this.older[newer] = older;
	}

	private remove(slot: number): void {
		this.unlink(slot);
		this.weight -= this.weigh(this.values[slot] as V);
		this.slots.delete(this.keys[slot] as string);
		this.keys[slot] = "";
		this.values[slot] = undefined;
		this.newer[slot] = this.free;
		this.free = slot;
	}

	private grow(): void {
		const before = this.since.length;
		const after = Math.min(this.capacity, Math.max(FIRST_SLOTS, 2 * before));
		this.since = widened(this.since, new Float64Array(after));
		this.older = widened(this.older, new Int32Array(after));
		this.newer = widened(this.newer, new Int32Array(after));
		for (let slot = after - 1; slot >= before; slot--) {
			this.newer[slot] = this.free;
			this.free = slot;
		}
	}
}

function widened<A extends Float64Array | Int32Array>(from: A, to: A): A {
	to.set(from);
	return to;
}
