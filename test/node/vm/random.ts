/**
 * Whole numbers from 0 up to a limit, at most 2^32, the same ones for the same seed.
 * @param seed any 32-bit number
 */
export function seededRandom(seed: number): (limit: number) => number {
	let state = seed;
	return (limit) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * limit);
	};
}
