/** Reproducible randomness. */

/** Pseudo-random numbers below a bound (xorshift32), the same in each run. */
export function random(seed: number): (bound: number) => number {
	let state = seed;
	return (bound) => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return (state >>> 0) % bound;
	};
}
