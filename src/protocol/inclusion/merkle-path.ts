/** Merkle path of a transaction (protocol/blocks §1.4): its sibling hashes from the leaf up. */

import { concatBytes } from "../bytes.js";
import { sha256 } from "../hash.js";

/** One hashing step. Levels at which the node has no sibling are skipped. */
export interface PathStep {
	/** Side of the sibling. */
	readonly side: "left" | "right";
	/** 32 bytes. */
	readonly hash: Uint8Array;
}

/** @param index of the leaf, from 0 */
export function merklePath(leaves: readonly Uint8Array[], index: number): readonly PathStep[] {
	const path: PathStep[] = [];
	let at = index;
	for (let level = leaves; level.length > 1; at >>= 1) {
		const other = level[at ^ 1];
		if (other) path.push({ side: at & 1 ? "left" : "right", hash: other });
		level = levelAbove(level);
	}
	return path;
}

/** The root that results from a leaf and its path. */
export function rootOfPath(leaf: Uint8Array, path: readonly PathStep[]): Uint8Array {
	return path.reduce(
		(node, { side, hash }) => sha256(side === "left" ? concatBytes(hash, node) : concatBytes(node, hash)),
		leaf,
	);
}

/** An odd node moves up unchanged. */
export function levelAbove(level: readonly Uint8Array[]): readonly Uint8Array[] {
	const next: Uint8Array[] = [];
	for (let i = 0; i < level.length; i += 2) {
		const left = level[i] as Uint8Array;
		const right = level[i + 1];
		next.push(right ? sha256(concatBytes(left, right)) : left);
	}
	return next;
}
