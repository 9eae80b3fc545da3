/** Witnesses whose parts belong together. */

import { emptyNoteRoot, noteTreeHash } from "../../src/protocol/sapling/incremental-tree.js";
import { littleBytes } from "../../src/protocol/sapling/jubjub.js";
import { noteCommitment } from "../../src/protocol/sapling/note.js";
import type { OutputWitness, SpendWitness } from "../../src/protocol/sapling/prover.js";
import {
	authorizationKey,
	defaultDiversifier,
	expandSpendingKey,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../../src/protocol/sapling/shielded-keys.js";
import { TREE_DEPTH } from "../../src/protocol/sapling/sizes.js";

function there<T>(value: T | undefined): T {
	if (value === undefined) throw new Error("a part of the witness is not valid");
	return value;
}

const scalar = (seed: bigint) => littleBytes(seed ** 61n % 2n ** 250n);

const SPENDING_KEY = new Uint8Array(32).fill(3);
const { ask, nsk } = expandSpendingKey(SPENDING_KEY);
const ak = authorizationKey(ask);
const diversifier = there(defaultDiversifier(SPENDING_KEY));
const pkD = there(transmissionKey(incomingViewingKey(ak, nullifierKey(nsk)), diversifier));

export const outputWitness: OutputWitness = {
	esk: scalar(11n),
	diversifier,
	pkD,
	rcm: scalar(13n),
	value: 2n ** 63n - 1n,
	rcv: scalar(17n),
};

/** A note that stands beside empty places in the tree. */
function makeSpendWitness(value: bigint, position: bigint): SpendWitness {
	const rcm = scalar(19n);
	let node = there(noteCommitment({ diversifier, transmissionKey: pkD, value, randomness: rcm }));
	const path: Uint8Array[] = [];
	for (let level = 0; level < TREE_DEPTH; level++) {
		const sibling = emptyNoteRoot(level);
		path.unshift(sibling);
		const isRight = (position >> BigInt(level)) & 1n;
		node = isRight ? noteTreeHash(level, sibling, node) : noteTreeHash(level, node, sibling);
	}
	const rest = { ak, nsk, diversifier, rcm, alpha: scalar(23n), rcv: scalar(29n) };
	return { ...rest, value, anchor: node, path, position };
}

export const spendWitness = makeSpendWitness(1_000_000n, 2n ** 31n + 5n);
