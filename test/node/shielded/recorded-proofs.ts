/** Calls of the four precompiles of shielded tokens as the reference node answered them, and the keys of their proofs. */

import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import type { Groth16 } from "../../../src/node/shielded/groth16.js";
import { OUTPUT_INPUTS, SaplingVerifier, SPEND_INPUTS } from "../../../src/node/shielded/verifier.js";
import { readVerifyingKey, type VerifyingKey } from "../../../src/node/shielded/verifying-key.js";
import { fromHex } from "../../../src/protocol/bytes.js";

const FOLDER = "test/golden/shielded";

const readKey = (name: string, inputs: number): VerifyingKey =>
	readVerifyingKey(readFileSync(`${FOLDER}/${name}`), inputs);

export const spendKey = readKey("sapling-spend.vk", SPEND_INPUTS);
export const outputKey = readKey("sapling-output.vk", OUTPUT_INPUTS);

export const verifierOf = (groth16: Groth16): SaplingVerifier =>
	SaplingVerifier.withKeys(groth16, spendKey, outputKey);

export interface RecordedCall {
	/** The precompile's address. */
	readonly word: number;
	readonly input: Uint8Array;
	/** Whether the call itself succeeded. */
	readonly success: boolean;
	readonly output: string;
}

const lines = JSON.parse(brotliDecompressSync(readFileSync(`${FOLDER}/precompiles.json.br`)).toString()) as [
	data: string,
	answer: string,
][];

export const recordedCalls: readonly RecordedCall[] = lines.map(([data, answer]) => ({
	word: Number.parseInt(data.slice(0, 64), 16),
	input: fromHex(data.slice(64)),
	success: answer.slice(0, 64).endsWith("1"),
	output: answer.slice(64),
}));
