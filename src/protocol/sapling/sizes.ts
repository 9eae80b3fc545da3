/** Lengths in bytes of what shielded transfers are made of (protocol/shielded §3.1, §7). */

/** Keys, scalars, points, commitments, nullifiers and hashes. */
export const KEY_SIZE = 32;
export const DIVERSIFIER_SIZE = 11;
export const PROOF_SIZE = 192;
export const SIGNATURE_SIZE = 64;
/** A note, sealed for its receiver. */
export const SEALED_NOTE_SIZE = 580;
/** The same for its sender. */
export const SEALED_OUTGOING_SIZE = 80;
