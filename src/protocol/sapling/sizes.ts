/**
 * Constants of shielded transfers: lengths in bytes (protocol/shielded §3.1, §7), the note tree (§6.2), and
 * the parameter files.
 */

import { fromHex } from "../bytes.js";

/** Parameter files of the public network (protocol/shielded §6.4): BLAKE2b-512 in hex. */
export const NETWORK_SPEND_HASH =
	"25fd9a0d1c1be0526c14662947ae95b758fe9f3d7fb7f55e9b4437830dcc6215a7ce3ea465914b157715b7a4d681389ea4aa84438190e185d5e4c93574d3a19a";
export const NETWORK_OUTPUT_HASH =
	"a1cb23b93256adce5bce2cb09cefbc96a1d16572675ceb691e9a3626ec15b5b546926ff1c536cfe3a9df07d796b32fdfc3e5d99d65567257bf286cd2858d71a6";

/** Levels of the note tree between a leaf and the root. */
export const TREE_DEPTH = 32;

/** Root of the empty tree. */
export const EMPTY_TREE_ROOT = fromHex("fbc2f4300c01f0b7820d00e3347c8da4ee614674376cbc45359daa54f9b5493e");

/** Keys, scalars, points, commitments, nullifiers and hashes. */
export const KEY_SIZE = 32;
export const DIVERSIFIER_SIZE = 11;
export const PROOF_SIZE = 192;
export const SIGNATURE_SIZE = 64;
/** Maximum per transfer in the chain's own pool (protocol/shielded §4.2). */
export const POOL_LIMITS = { spends: 1, outputs: 2 } as const;

/** Ciphertext of a note for its receiver. */
export const SEALED_NOTE_SIZE = 580;
/** Ciphertext for its sender. */
export const SEALED_OUTGOING_SIZE = 80;
