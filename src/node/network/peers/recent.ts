/** Bounded memory of what a peer sent recently: keys, counts and latencies. */

import { toKey } from "../../../protocol/bytes.js";

/** Key of an inventory item: kind and hash. */
export function itemKey(kind: number, hash: Uint8Array): string {
	return kind + toKey(hash);
}

/** Whether a key is an {@link itemKey} of a kind. */
export function isOfKind(key: string, kind: number): boolean {
	return key.charCodeAt(0) === 0x30 + kind;
}

const WINDOW_SECONDS = 10;

/** Counts over the current second and the nine before it. */
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

/** A peer's last round trips; enough to estimate its typical latency. */
export class LatencySamples {
	private readonly samples: number[] = [];

	add(ms: number): void {
		this.samples.push(ms);
		if (this.samples.length > SAMPLES) this.samples.shift();
	}

	/** The 75th percentile; 0 without samples. */
	get p75(): number {
		if (this.samples.length === 0) return 0;
		const sorted = [...this.samples].sort((a, b) => a - b);
		return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.75))] as number;
	}
}
