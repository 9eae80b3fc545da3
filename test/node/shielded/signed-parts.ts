/** Recorded calls of shielded tokens that the reference node took, and the parts of them that proofs and signatures cover. */

import type { ShieldedProofs } from "../../../src/node/shielded/proofs.js";
import type { Precompile } from "../../../src/node/vm/precompiles/precompile.js";
import {
	verifyBurnProof,
	verifyMintProof,
	verifyTransferProof,
} from "../../../src/node/vm/precompiles/shielded.js";
import { readBe32, toHex } from "../../../src/protocol/bytes.js";
import { recordedCalls } from "./recorded-proofs.js";

/** Bytes of an input, from the first up to the last. */
export type Part = readonly [name: string, from: number, to: number];

export interface SignedCall {
	readonly name: string;
	readonly precompile: Precompile;
	readonly input: Uint8Array;
	readonly parts: readonly Part[];
}

const OUTPUT: readonly Part[] = [
	["note commitment", 0, 32],
	["value commitment of the output", 32, 64],
	["ephemeral key", 64, 96],
	["proof of the output", 96, 288],
];
const SPEND: readonly Part[] = [
	["nullifier", 0, 32],
	["anchor", 32, 64],
	["value commitment of the spend", 64, 96],
	["randomized key", 96, 128],
	["proof of the spend", 128, 320],
];
const AUTHORIZATION: readonly Part[] = [["authorization", 0, 64]];

const moved = (parts: readonly Part[], by: number): Part[] =>
	parts.map(([name, from, to]) => [name, from + by, to + by]);

/** The parts of a transfer: its lists are where its first words say (protocol/shielded §3.1). */
function transferParts(input: Uint8Array): Part[] {
	const numberAt = (at: number): number => readBe32(input, at + 28);
	const elements = (word: number, parts: readonly Part[], length: number): Part[] => {
		const list = numberAt(32 * word);
		return Array.from({ length: numberAt(list) }, (_, i) => moved(parts, list + 32 + i * length)).flat();
	};
	return [
		["binding signature", 96, 160],
		["sign hash", 160, 192],
		["value", 192, 224],
		...elements(0, SPEND, 320),
		...elements(1, AUTHORIZATION, 64),
		...elements(2, OUTPUT, 288),
	];
}

type Kind = readonly [name: string, Precompile, length: number, (input: Uint8Array) => Part[]];

const KINDS: readonly Kind[] = [
	[
		"mint",
		verifyMintProof,
		1504,
		() => [...OUTPUT, ["binding signature", 288, 352], ["value", 352, 384], ["sign hash", 384, 416]],
	],
	["transfer 1-1", verifyTransferProof, 2080, transferParts],
	["transfer 1-2", verifyTransferProof, 2368, transferParts],
	["transfer 2-1", verifyTransferProof, 2464, transferParts],
	["transfer 2-2", verifyTransferProof, 2752, transferParts],
	[
		"burn",
		verifyBurnProof,
		512,
		() => [
			...SPEND,
			...moved(AUTHORIZATION, 320),
			["value", 384, 416],
			["binding signature", 416, 480],
			["sign hash", 480, 512],
		],
	],
];

/** One call of each form. */
export const signedCalls: readonly SignedCall[] = KINDS.map(([name, precompile, length, partsOf]) => {
	const call = recordedCalls.find(
		({ word, input, output }) =>
			word === precompile.word && input.length === length && /[1-9a-f]/.test(output.slice(0, 64)),
	);
	if (!call) throw new Error(`no ${name} is recorded`);
	return { name, precompile, input: call.input, parts: partsOf(call.input) };
});

/** Whether the machine takes a call: its answer is not a single zero word. */
export function isTaken(proofs: ShieldedProofs, { precompile }: SignedCall, input: Uint8Array): boolean {
	const context = { machine: { options: { proofs } } } as unknown as Parameters<Precompile["run"]>[1];
	const result = precompile.run(input, context) as { readonly output: Uint8Array };
	return !/^0*$/.test(toHex(result.output));
}

/** The same bytes but for one bit. */
export function flipped(input: Uint8Array, at: number, bit: number): Uint8Array {
	const copy = Uint8Array.from(input);
	copy[at] = (copy[at] as number) ^ (1 << bit);
	return copy;
}
