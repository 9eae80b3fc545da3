/** The slot timing of the network (protocol/consensus §1.1). */

/** Length of a slot in milliseconds. */
export const SLOT_MS = 3000n;
