/** When the network's slots come, when its blocks are final, and how long a timer can wait. */

/** The longest wait of the runtime's timers, in milliseconds: one that is to wait longer ends at once. */
export const MAX_TIMER_MS = 0x7fffffff;

// The slot timing of the network (protocol/consensus §1.1).

/** Length of a slot in milliseconds. */
export const SLOT_MS = 3000n;

// How many witnesses must have built on a block before it is final (protocol/consensus §2.2).

/** Share of the active witnesses, in percent. */
const SOLIDIFIED_PERCENT = 70;

/** Place of the solidified height among the newest heights of the active witnesses, ascending. */
export function solidifiedPosition(activeWitnesses: number): number {
	// In binary64, as the network computes it: 10 witnesses give 3.0000000000000004, hence position 3.
	return Math.trunc(activeWitnesses * (1 - (SOLIDIFIED_PERCENT * 1.0) / 100));
}

/** Witnesses that must have built on a block: 19 of 27. */
export function witnessesForFinality(activeWitnesses: number): number {
	return activeWitnesses - solidifiedPosition(activeWitnesses);
}
