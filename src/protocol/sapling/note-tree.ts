/** Hashes of the tree of note commitments (protocol/shielded §6.2). */

import { littleBytes } from "./jubjub.js";
import { pedersenX, putBits } from "./pedersen.js";

const LEVEL_BITS = 6;
const NODE_BITS = 255;

/**
 * The node above two nodes. Their highest bits don't count, and values above the field are not reduced.
 * @param level of the two nodes, from 0 to 62; leaves are at 0
 * @param left 32 bytes, as right
 */
export function noteTreeHash(level: number, left: Uint8Array, right: Uint8Array): Uint8Array {
	const bits = new Uint8Array(LEVEL_BITS + 2 * NODE_BITS);
	let at = putBits(bits, 0, Uint8Array.of(level), LEVEL_BITS);
	at = putBits(bits, at, left, NODE_BITS);
	putBits(bits, at, right, NODE_BITS);
	return littleBytes(pedersenX(bits));
}

/** The leaf of no note. */
const EMPTY_LEAF = littleBytes(1n);

const emptyRoots: Uint8Array[] = [EMPTY_LEAF];

/** The root of a tree of so many levels without a note. @param level from 0 to 32 */
export function emptyNoteRoot(level: number): Uint8Array {
	for (let below = emptyRoots.length - 1; below < level; below++) {
		const root = emptyRoots[below] as Uint8Array;
		emptyRoots.push(noteTreeHash(below, root, root));
	}
	return emptyRoots[level] as Uint8Array;
}
