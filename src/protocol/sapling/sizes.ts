/** Lengths in bytes of what shielded transfers are made of (protocol/shielded §3.1, §7). */

/** Keys, scalars, points, commitments, nullifiers and hashes. */
export const KEY_SIZE = 32;
export const DIVERSIFIER_SIZE = 11;
export const PROOF_SIZE = 192;
export const SIGNATURE_SIZE = 64;
/** What a transfer of the chain's own pool has at most (protocol/shielded §4.2). */
export const POOL_LIMITS = { spends: 1, outputs: 2 } as const;

/** A note, sealed for its receiver. */
export const SEALED_NOTE_SIZE = 580;
/** The same for its sender. */
export const SEALED_OUTGOING_SIZE = 80;
