/** What a peer said lately: the keys under which it is remembered, how much it was, how long its answers took. */

import { toKey } from "../../../protocol/bytes.js";

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
