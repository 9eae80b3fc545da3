/** What a peer or the network said lately: bounded in number and in time. */

import { toKey } from "../../../protocol/bytes.js";

interface Entry<V> {
	readonly value: V;
	readonly sinceMs: number;
}

/** Values by key, the oldest forgotten first. An entry that is put again keeps its age. */
export class Recent<V = true> {
	private readonly entries = new Map<string, Entry<V>>();

	/** @param lifeMs how long an entry is remembered; infinite for ever */
	constructor(
		private readonly capacity: number,
		private readonly lifeMs: number,
		private readonly now: () => number,
	) {}

	get size(): number {
		return this.entries.size;
	}

	/** @returns whether it is new */
	put(key: string, value: V): boolean {
		this.expire();
		if (this.entries.has(key)) return false;
		this.entries.set(key, { value, sinceMs: this.now() });
		if (this.entries.size > this.capacity) this.entries.delete(this.entries.keys().next().value as string);
		return true;
	}

	/** Puts an entry as new, whether it was remembered or not. */
	renew(key: string, value: V): void {
		this.entries.delete(key);
		this.put(key, value);
	}

	get(key: string): V | undefined {
		return this.fresh(key)?.value;
	}

	has(key: string): boolean {
		return this.fresh(key) !== undefined;
	}

	/** When the entry was put; undefined if it is not remembered. */
	since(key: string): number | undefined {
		return this.fresh(key)?.sinceMs;
	}

	delete(key: string): void {
		this.entries.delete(key);
	}

	private fresh(key: string): Entry<V> | undefined {
		const entry = this.entries.get(key);
		return entry && this.now() - entry.sinceMs <= this.lifeMs ? entry : undefined;
	}

	private expire(): void {
		const oldest = this.now() - this.lifeMs;
		for (const [key, entry] of this.entries) {
			if (entry.sinceMs >= oldest) break;
			this.entries.delete(key);
		}
	}
}

/** Key of an item of an inventory: its kind and its hash. */
export function itemKey(kind: number, hash: Uint8Array): string {
	return kind + toKey(hash);
}

/** Whether a key is one of {@link itemKey} of a kind. */
export function isOfKind(key: string, kind: number): boolean {
	return key.charCodeAt(0) === 0x30 + kind;
}

const WINDOW_SECONDS = 10;

/** Counts of the current second and of the nine before it. */
export class SlidingCount {
	private readonly counts = new Map<number, number>();

	constructor(private readonly now: () => number) {}

	add(count: number): void {
		const second = this.second;
		for (const old of this.counts.keys()) if (old <= second - WINDOW_SECONDS) this.counts.delete(old);
		this.counts.set(second, (this.counts.get(second) ?? 0) + count);
	}

	/** Sum over the window. */
	get total(): number {
		const second = this.second;
		let sum = 0;
		for (const [at, count] of this.counts) if (at > second - WINDOW_SECONDS) sum += count;
		return sum;
	}

	private get second(): number {
		return Math.floor(this.now() / 1000);
	}
}

const SAMPLES = 100;

/** The last round trips of a peer; enough to say how long it mostly takes. */
export class LatencySamples {
	private readonly samples: number[] = [];

	add(ms: number): void {
		this.samples.push(ms);
		if (this.samples.length > SAMPLES) this.samples.shift();
	}

	/** What three of four stay below; 0 without a sample. */
	get p75(): number {
		if (this.samples.length === 0) return 0;
		const sorted = [...this.samples].sort((a, b) => a - b);
		return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.75))] as number;
	}
}
