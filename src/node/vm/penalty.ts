/** What dynamic energy adds to the cost of an operation (protocol/machine §15). */

/** A factor in ten-thousandths that adds nothing. */
export const NO_FACTOR = 10_000;

/** @param factor in ten-thousandths */
export function penaltyOf(cost: number, factor: number): number {
	if (factor <= NO_FACTOR) return 0;
	return Math.max(0, Math.floor((cost * factor) / NO_FACTOR) - cost);
}
