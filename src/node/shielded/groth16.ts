/**
 * Verification of Groth16 proofs over BLS12-381 (protocol/shielded §6.3): e(A, B) = e(α, β) e(Σ xᵢ icᵢ, γ)
 * e(C, δ). A proof is A, B and C, compressed: 48, 96 and 48 bytes.
 */

import { COMPRESSED, COORDINATE, INFINITY_FLAG } from "../../protocol/bls12-381.js";
import { fromHex } from "../../protocol/bytes.js";
import type { VerifyingKey } from "./verifying-key.js";

/** @param inputs public inputs, each below the groups' order, as many as the key has */
export type ProofCheck = (proof: Uint8Array, inputs: readonly bigint[]) => boolean;

/** An implementation of the group arithmetic. */
export interface Groth16 {
	readonly name: string;
	prepare(key: VerifyingKey): ProofCheck;
}

export const PROOF = 4 * COORDINATE;

/** Order of the field of coordinates (draft-irtf-cfrg-pairing-friendly-curves, §4.2.1). */
const COORDINATE_ORDER = fromHex(
	"1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
);

function isCoordinate(bytes: Uint8Array): boolean {
	return Buffer.compare(bytes, COORDINATE_ORDER) < 0;
}

/** Whether bytes have the form of a compressed point other than infinity. Doesn't check whether the point exists. */
function isCompressed(bytes: Uint8Array): boolean {
	const flags = bytes[0] as number;
	if ((flags & (COMPRESSED | INFINITY_FLAG)) !== COMPRESSED) return false;
	const coordinates = Uint8Array.from(bytes);
	coordinates[0] = flags & 0x1f;
	for (let at = 0; at < bytes.length; at += COORDINATE) {
		if (!isCoordinate(coordinates.subarray(at, at + COORDINATE))) return false;
	}
	return true;
}

/** A proof's three points; undefined if they are malformed, which the libraries would judge differently. */
export function splitProof(
	proof: Uint8Array,
): readonly [a: Uint8Array, b: Uint8Array, c: Uint8Array] | undefined {
	if (proof.length !== PROOF) return undefined;
	const a = proof.subarray(0, COORDINATE);
	const b = proof.subarray(COORDINATE, 3 * COORDINATE);
	const c = proof.subarray(3 * COORDINATE);
	return isCompressed(a) && isCompressed(b) && isCompressed(c) ? [a, b, c] : undefined;
}
