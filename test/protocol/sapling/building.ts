/** A wallet's keys and notes for tests of builders, and a prover that makes no proofs. */

import { createHash } from "node:crypto";
import type { BuildingTools, NoteToSend, NoteToSpend } from "../../../src/protocol/sapling/descriptions.js";
import {
	appendLeaf,
	EMPTY_NOTE_TREE,
	issueVoucher,
	treeRoot,
	voucherPath,
} from "../../../src/protocol/sapling/incremental-tree.js";
import { type Note, noteCommitment } from "../../../src/protocol/sapling/note.js";
import type { OutputWitness, Prover, SpendWitness } from "../../../src/protocol/sapling/prover.js";
import {
	authorizationKey,
	defaultDiversifier,
	expandSpendingKey,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../../../src/protocol/sapling/shielded-keys.js";

/** Bytes that look random and are the same in every run. */
export function counted(): (length: number) => Uint8Array {
	let next = 0;
	return (length) => {
		const parts: Buffer[] = [];
		for (let made = 0; made < length; made += 64)
			parts.push(createHash("sha512").update(`${next++}`).digest());
		return new Uint8Array(Buffer.concat(parts).subarray(0, length));
	};
}

export function keysOf(seed: number) {
	const spendingKey = new Uint8Array(32).fill(seed);
	const { ask, nsk, ovk } = expandSpendingKey(spendingKey);
	const [ak, nk] = [authorizationKey(ask), nullifierKey(nsk)];
	const ivk = incomingViewingKey(ak, nk);
	const diversifier = defaultDiversifier(spendingKey) as Uint8Array;
	const pkD = transmissionKey(ivk, diversifier) as Uint8Array;
	return { ask, nsk, ovk, ak, nk, ivk, diversifier, transmissionKey: pkD };
}

export type Keys = ReturnType<typeof keysOf>;

export function noteTo(keys: Keys, value: bigint): Note {
	const { diversifier, transmissionKey } = keys;
	return { diversifier, transmissionKey, value, randomness: new Uint8Array(32).fill(7, 0, 31) };
}

/** A note as the only one of its tree. */
export function spendOf(keys: Keys, value: bigint): NoteToSpend {
	const note = noteTo(keys, value);
	const tree = appendLeaf(EMPTY_NOTE_TREE, noteCommitment(note) as Uint8Array);
	const path = voucherPath(issueVoucher(tree));
	return { note, alpha: new Uint8Array(32).fill(9, 0, 31), anchor: treeRoot(tree), path };
}

export const sendTo = (keys: Keys, value: bigint, memo = ""): NoteToSend => ({
	note: noteTo(keys, value),
	memo: new TextEncoder().encode(memo),
});

/** Answers 192 bytes that prove nothing, and keeps what it was asked. */
export class ListeningProver implements Prover {
	readonly spends: SpendWitness[] = [];
	readonly outputs: OutputWitness[] = [];

	async spend(witness: SpendWitness): Promise<Uint8Array> {
		this.spends.push(witness);
		return new Uint8Array(192).fill(this.spends.length);
	}

	async output(witness: OutputWitness): Promise<Uint8Array> {
		this.outputs.push(witness);
		return new Uint8Array(192).fill(0x80 + this.outputs.length);
	}

	async close(): Promise<void> {}
}

export function toolsWith(prover: Prover): BuildingTools {
	return { prover, random: counted() };
}
