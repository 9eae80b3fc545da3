/** Checks if witnesses can be proved, without the seconds that proving takes (protocol/shielded §8). */

import { equalBytes } from "../../src/protocol/bytes.js";
import { noteTreeHash } from "../../src/protocol/sapling/incremental-tree.js";
import { decodePoint, isPrimeOrder, readField, readScalar } from "../../src/protocol/sapling/jubjub.js";
import { noteCommitment } from "../../src/protocol/sapling/note.js";
import type { OutputWitness, SpendWitness } from "../../src/protocol/sapling/prover.js";
import {
	diversifiedBase,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../../src/protocol/sapling/shielded-keys.js";
import { TREE_DEPTH } from "../../src/protocol/sapling/sizes.js";

const isPrimePoint = (bytes: Uint8Array): boolean => {
	const point = decodePoint(bytes);
	return point !== undefined && isPrimeOrder(point);
};

const areScalars = (...parts: readonly Uint8Array[]): boolean =>
	parts.every((part) => readScalar(part) !== undefined);

/** The root that a note's path leads to. */
function rootOf(leaf: Uint8Array, path: readonly Uint8Array[], position: bigint): Uint8Array {
	let node = leaf;
	for (const [level, sibling] of path.toReversed().entries()) {
		const isRight = ((position >> BigInt(level)) & 1n) === 1n;
		node = isRight ? noteTreeHash(level, sibling, node) : noteTreeHash(level, node, sibling);
	}
	return node;
}

/** PERF: 32 hashes. */
export function isProvableSpend(witness: SpendWitness): boolean {
	const { ak, nsk, diversifier, rcm, alpha, value, anchor, path, position, rcv } = witness;
	if (!isPrimePoint(ak) || !areScalars(nsk, rcm, alpha, rcv)) return false;
	if (path.length !== TREE_DEPTH || ![anchor, ...path].every((part) => readField(part) !== undefined)) {
		return false;
	}
	const ivk = incomingViewingKey(ak, nullifierKey(nsk));
	const key = transmissionKey(ivk, diversifier);
	const cm = key && noteCommitment({ diversifier, transmissionKey: key, value, randomness: rcm });
	return cm !== undefined && equalBytes(rootOf(cm, path, position), anchor);
}

export const isProvableOutput = ({ esk, diversifier, pkD, rcm, rcv }: OutputWitness): boolean =>
	areScalars(esk, rcm, rcv) && diversifiedBase(diversifier) !== undefined && isPrimePoint(pkD);
