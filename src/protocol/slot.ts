/** The beat of the network (sheet 02 §5.1). */

/** Length of a slot in milliseconds. */
export const SLOT_MS = 3000n;
