/** Reproducible random numbers. */

export type Random = () => number;

/** Mulberry32: uniform in [0, 1). */
export function randomFrom(seed: number): Random {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

/** An integer from low to high, inclusive. */
export function between(random: Random, low: number, high: number): number {
	return low + Math.floor(random() * (high - low + 1));
}
