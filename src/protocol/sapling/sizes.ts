/**
 * What is fixed about shielded transfers, without what calculates with it: lengths in bytes (protocol/shielded §3.1, §7), the tree of
 * notes (§6.2), and the files that proofs are made with.
 */

import { fromHex } from "../bytes.js";

/** The files that the public network's proofs are made and checked with (protocol/shielded §6.4): BLAKE2b-512 in hexadecimal. */
export const NETWORK_SPEND_HASH =
	"25fd9a0d1c1be0526c14662947ae95b758fe9f3d7fb7f55e9b4437830dcc6215a7ce3ea465914b157715b7a4d681389ea4aa84438190e185d5e4c93574d3a19a";
export const NETWORK_OUTPUT_HASH =
	"a1cb23b93256adce5bce2cb09cefbc96a1d16572675ceb691e9a3626ec15b5b546926ff1c536cfe3a9df07d796b32fdfc3e5d99d65567257bf286cd2858d71a6";

/** Levels of the tree of notes between a leaf and the root. */
export const TREE_DEPTH = 32;

/** Of the tree without a note. */
export const EMPTY_TREE_ROOT = fromHex("fbc2f4300c01f0b7820d00e3347c8da4ee614674376cbc45359daa54f9b5493e");

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
