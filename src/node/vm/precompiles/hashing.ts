/** Precompiles for hashes, identity and signer recovery (protocol/precompiles §1). */

import { secp256k1 } from "@noble/curves/secp256k1.js";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { EMPTY } from "../../../protocol/bytes.js";
import { sha256 } from "../../../protocol/hash.js";
import { recoverAddress, SignatureError } from "../../../protocol/signature.js";
import { wordFromBytes } from "../word.js";
import { type Precompile, paddedSlice, perWord, price, succeed } from "./precompile.js";

const ORDER = secp256k1.Point.Fn.ORDER;

/**
 * Recovers the signer of a hash, if the signature has the form that the machine accepts.
 * @param v 27 or 28
 */
export function recoverSigner(
	hash: Uint8Array,
	r: Uint8Array,
	s: Uint8Array,
	v: number,
): Uint8Array | undefined {
	if (v !== 27 && v !== 28) return undefined;
	for (const scalar of [r, s]) {
		const value = BigInt(wordFromBytes(scalar));
		if (value < 1n || value >= ORDER) return undefined;
	}
	// PERF: a stack trace, which nobody sees, takes longer to capture than the rejection itself.
	const limit = Error.stackTraceLimit;
	Error.stackTraceLimit = 0;
	try {
		return recoverAddress(hash, Buffer.concat([r, s, Uint8Array.of(v)]));
	} catch (error) {
		if (error instanceof SignatureError) return undefined;
		throw error;
	} finally {
		Error.stackTraceLimit = limit;
	}
}

export const ecrecover: Precompile = {
	name: "ecrecover",
	word: 0x01,
	energy: price(3000),
	run(input) {
		if (input.length < 96) return succeed(EMPTY);
		const v = wordFromBytes(paddedSlice(input, 32, 32));
		const signer = recoverSigner(
			input.subarray(0, 32),
			input.subarray(64, 96),
			paddedSlice(input, 96, 32),
			typeof v === "number" ? v : 0,
		);
		return succeed(signer ? leftPadded(signer) : EMPTY);
	},
};

export const sha256Hash: Precompile = {
	name: "sha256",
	word: 0x02,
	energy: perWord(60, 12),
	run: (input) => succeed(sha256(input)),
};

/** Named RIPEMD-160, but is actually a truncated double SHA-256. */
export const doubleSha256: Precompile = {
	name: "ripemd160",
	word: 0x03,
	energy: perWord(600, 120),
	run: (input) => succeed(sha256(sha256(input).subarray(0, 20))),
};

export const identity: Precompile = {
	name: "identity",
	word: 0x04,
	energy: perWord(15, 3),
	// The input is a view of the caller's memory, so it must be copied.
	run: (input) => succeed(Buffer.from(input)),
};

export const realRipemd160: Precompile = {
	name: "ethRipemd160",
	word: 0x20003,
	gate: "compatible",
	energy: perWord(600, 120),
	run: (input) => succeed(leftPadded(ripemd160(input))),
};

/** Left-pads bytes to a word. */
function leftPadded(bytes: Uint8Array): Uint8Array {
	const word = new Uint8Array(32);
	word.set(bytes, 32 - bytes.length);
	return word;
}
