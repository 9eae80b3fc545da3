/** Slot timing, the finality threshold, and the timer limit of the runtime. */

/** Maximum delay of the runtime's timers in milliseconds; longer ones fire immediately. */
export const MAX_TIMER_MS = 0x7fffffff;

// Slot timing (protocol/consensus §1.1).

/** Length of a slot in milliseconds. */
export const SLOT_MS = 3000n;

// Number of witnesses that must build on a block to make it final (protocol/consensus §2.2).

/** Share of the active witnesses, in percent. */
const SOLIDIFIED_PERCENT = 70;

/** Index of the solidified height among the latest heights of the active witnesses, ascending. */
export function solidifiedPosition(activeWitnesses: number): number {
	// In binary64, as the network computes it: 10 witnesses give 3.0000000000000004, hence position 3.
	return Math.trunc(activeWitnesses * (1 - (SOLIDIFIED_PERCENT * 1.0) / 100));
}

/** Number of witnesses that must build on a block: 19 of 27. */
export function witnessesForFinality(activeWitnesses: number): number {
	return activeWitnesses - solidifiedPosition(activeWitnesses);
}
