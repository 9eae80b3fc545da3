/** Proof verification for shielded token contracts (protocol/shielded §3). */

import { hasRepetition } from "../../../protocol/bytes.js";
import { TREE_DEPTH } from "../../../protocol/sapling/sizes.js";
import {
	holdsTransfer,
	type ShieldedOutput,
	type ShieldedProofs,
	type ShieldedSpend,
} from "../../shielded/proofs.js";
import { sat32, sat64, wordToBytes } from "../word.js";
import {
	failed,
	ONE_WORD,
	type Precompile,
	paddedSlice,
	price,
	succeed,
	wordAt,
	ZERO_WORD,
} from "./precompile.js";

const WORD = 32;
const LEAVES = 2n ** 32n;

/** Maximum tree level that the network's library accepts. */
const MAX_LEVEL = 62;

const part = (input: Uint8Array, offset: number, length = WORD): Uint8Array =>
	paddedSlice(input, offset, length);

function readOutput(input: Uint8Array, offset: number): ShieldedOutput {
	return {
		noteCommitment: part(input, offset),
		valueCommitment: part(input, offset + 32),
		ephemeralKey: part(input, offset + 64),
		proof: part(input, offset + 96, 192),
	};
}

function readSpend(input: Uint8Array, offset: number, authorization: number): ShieldedSpend {
	return {
		nullifier: part(input, offset),
		anchor: part(input, offset + 32),
		valueCommitment: part(input, offset + 64),
		randomizedKey: part(input, offset + 96),
		proof: part(input, offset + 128, 192),
		authorization: part(input, authorization, 64),
	};
}

const readFrontier = (input: Uint8Array, offset: number): Uint8Array[] =>
	Array.from({ length: TREE_DEPTH + 1 }, (_, i) => Uint8Array.from(part(input, offset + WORD * i)));

export const verifyMintProof: Precompile = {
	name: "verifyMintProof",
	word: 0x1000001,
	gate: "shielded",
	energy: price(150_000),
	run(input, { machine }) {
		if (input.length !== 1504) return succeed(ZERO_WORD);
		const { proofs } = machine.options;
		const output = readOutput(input, 0);
		const value = sat64(wordAt(input, 352 / WORD));
		const leafCount = sat64(wordAt(input, 1472 / WORD));
		if (leafCount >= LEAVES) return succeed(ZERO_WORD);
		if (!holdsTransfer(proofs, [], [output], -value, part(input, 288, 64), part(input, 384))) {
			return succeed(ZERO_WORD);
		}
		return succeed(insertLeaves(proofs, readFrontier(input, 416), leafCount, [output.noteCommitment]));
	},
};

const TRANSFER_LENGTHS: ReadonlySet<number> = new Set([2080, 2368, 2464, 2752]);

export const verifyTransferProof: Precompile = {
	name: "verifyTransferProof",
	word: 0x1000002,
	gate: "shielded",
	energy: price(200_000),
	run(input, { machine }) {
		if (!TRANSFER_LENGTHS.has(input.length)) return succeed(ZERO_WORD);
		const { proofs } = machine.options;
		const leafCount = sat64(wordAt(input, 1280 / WORD));
		if (leafCount >= LEAVES - 1n) return succeed(ZERO_WORD);
		const spendAt = sat32(wordAt(input, 0));
		const authorizationAt = sat32(wordAt(input, 1));
		const outputAt = sat32(wordAt(input, 2));
		const spendCount = countAt(input, spendAt);
		const outputCount = countAt(input, outputAt);
		if (spendCount !== countAt(input, authorizationAt)) return succeed(ZERO_WORD);
		if (!isOneOrTwo(spendCount) || !isOneOrTwo(outputCount)) return succeed(ZERO_WORD);
		const spends = Array.from({ length: spendCount }, (_, i) =>
			readSpend(input, spendAt + WORD + 320 * i, authorizationAt + WORD + 64 * i),
		);
		const outputs = Array.from({ length: outputCount }, (_, i) =>
			readOutput(input, outputAt + WORD + 288 * i),
		);
		const commitments = outputs.map((output) => output.noteCommitment);
		if (hasRepetition(spends.map((spend) => spend.nullifier)) || hasRepetition(commitments)) {
			return succeed(ZERO_WORD);
		}
		const value = sat64(wordAt(input, 192 / WORD));
		if (!holdsTransfer(proofs, spends, outputs, value, part(input, 96, 64), part(input, 160))) {
			return succeed(ZERO_WORD);
		}
		return succeed(insertLeaves(proofs, readFrontier(input, 224), leafCount, commitments));
	},
};

export const verifyBurnProof: Precompile = {
	name: "verifyBurnProof",
	word: 0x1000003,
	gate: "shielded",
	energy: price(150_000),
	run(input, { machine }) {
		if (input.length !== 512) return succeed(ZERO_WORD);
		const spend = readSpend(input, 0, 320);
		const value = sat64(wordAt(input, 384 / WORD));
		const holds = holdsTransfer(
			machine.options.proofs,
			[spend],
			[],
			value,
			part(input, 416, 64),
			part(input, 480),
		);
		return succeed(holds ? ONE_WORD : ZERO_WORD);
	},
};

export const merkleHash: Precompile = {
	name: "merkleHash",
	word: 0x1000004,
	gate: "shielded",
	energy: price(500),
	run(input, { machine }) {
		if (input.length < 3 * WORD) return failed;
		const level = sat32(wordAt(input, 0));
		if (level > MAX_LEVEL) return failed;
		return succeed(machine.options.proofs.merkleHash(level, part(input, 32), part(input, 64)));
	},
};

function countAt(input: Uint8Array, offset: number): number {
	return sat32(wordFromRange(input, offset));
}

const wordFromRange = (input: Uint8Array, offset: number) => wordAt(part(input, offset), 0);

const isOneOrTwo = (count: number): boolean => count === 1 || count === 2;

/** The highest level whose subtree a leaf completes. */
function slotOf(leafIndex: bigint): number {
	if (leafIndex % 2n === 0n) return 0;
	for (let exponent = 1; ; exponent++) {
		const size = 2n ** BigInt(exponent);
		if ((leafIndex + 1n - size) % (size * 2n) === 0n) return exponent;
	}
}

const emptyTrees = new WeakMap<ShieldedProofs, readonly Uint8Array[]>();

/** Node hashes of an empty tree, from the leaf up; computed once. */
function emptyNodes(proofs: ShieldedProofs): readonly Uint8Array[] {
	const known = emptyTrees.get(proofs);
	if (known) return known;
	const nodes: Uint8Array[] = [Uint8Array.from(ONE_WORD).reverse()];
	for (let level = 0; level < TREE_DEPTH; level++) {
		const below = nodes[level] as Uint8Array;
		nodes.push(proofs.merkleHash(level, below, below));
	}
	emptyTrees.set(proofs, nodes);
	return nodes;
}

/** Output for a valid proof: for each new leaf its slot and the nodes it completes, then the new root. */
function insertLeaves(
	proofs: ShieldedProofs,
	frontier: Uint8Array[],
	leafCount: bigint,
	leaves: readonly Uint8Array[],
): Uint8Array {
	const empty = emptyNodes(proofs);
	const parts: Uint8Array[] = [ONE_WORD];
	let node: Uint8Array = ZERO_WORD;
	let index = 0n;
	const climb = (level: number): void => {
		const below = level - 1;
		if (index % 2n === 0n) {
			node = proofs.merkleHash(below, frontier[below] as Uint8Array, node);
			index = (index - 1n) / 2n;
		} else {
			node = proofs.merkleHash(below, node, empty[below] as Uint8Array);
			index = index / 2n;
		}
	};
	let slot = 0;
	for (const [i, leaf] of leaves.entries()) {
		node = leaf;
		const leafIndex = leafCount + BigInt(i);
		slot = slotOf(leafIndex);
		index = leafIndex + LEAVES - 1n;
		parts.push(wordToBytes(slot));
		for (let level = 1; level <= slot; level++) {
			climb(level);
			parts.push(node);
		}
		frontier[slot] = node;
	}
	for (let level = slot + 1; level <= TREE_DEPTH; level++) climb(level);
	parts.push(node);
	return Buffer.concat(parts);
}
