/** KZG point evaluation, on the Nile test network only (protocol/precompiles §1, EIP-4844). */

import { sha256 } from "../../../protocol/hash.js";
import { wordToBytes } from "../word.js";
import { BLS_MODULUS, isCompressedPoint, kzg } from "./kzg.js";
import { type Precompile, type PrecompileResult, price, succeed } from "./precompile.js";

const ENERGY = 50_000;
const INPUT_LENGTH = 192;

/** First byte of a commitment's versioned hash (EIP-4844, `VERSIONED_HASH_VERSION_KZG`). */
const HASH_VERSION = 1;

const FIELD_ELEMENTS_PER_BLOB = 4096;

const ORDER_BYTES = wordToBytes(BLS_MODULUS);
/** The output is written to the caller's memory even on failure. */
const FAILURE: PrecompileResult = { success: false, output: new Uint8Array(32) };
const OUTPUT = Buffer.concat([wordToBytes(FIELD_ELEMENTS_PER_BLOB), ORDER_BYTES]);

/** @param input versioned hash, z and y (32 bytes each), commitment and proof (48 bytes each) */
function isProven(input: Uint8Array): boolean {
	if (input.length !== INPUT_LENGTH) return false;
	const [z, y] = [input.subarray(32, 64), input.subarray(64, 96)];
	const [commitment, proof] = [input.subarray(96, 144), input.subarray(144)];
	const hash = sha256(commitment);
	if (input[0] !== HASH_VERSION || Buffer.compare(input.subarray(1, 32), hash.subarray(1)) !== 0)
		return false;
	if (Buffer.compare(z, ORDER_BYTES) >= 0 || Buffer.compare(y, ORDER_BYTES) >= 0) return false;
	if (!isCompressedPoint(commitment) || !isCompressedPoint(proof)) return false;
	return kzg().verify({ commitment, z, y, proof });
}

export const pointEvaluation: Precompile = {
	name: "pointEvaluation",
	word: 0x2000a,
	gate: "pointEvaluation",
	energy: price(ENERGY),
	run: (input) => (isProven(input) ? succeed(Uint8Array.from(OUTPUT)) : FAILURE),
};
