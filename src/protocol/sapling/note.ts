/** Note commitments and nullifiers (protocol/shielded §7.2). */

import { blake2s } from "@noble/hashes/blake2.js";
import { concatBytes, utf8 } from "../bytes.js";
import {
	decodePoint,
	encodePoint,
	GROUP_ORDER,
	isPrimeOrder,
	littleBytes,
	multiplyPublic,
	multiplySecret,
	noteRandomnessGenerator,
	type Point,
	positionGenerator,
	readLittle,
	readScalar,
} from "./jubjub.js";
import { pedersenPoint, putBits } from "./pedersen.js";
import { diversifiedBase } from "./shielded-keys.js";

export interface Note {
	/** 11 bytes. */
	readonly diversifier: Uint8Array;
	/** pk_d, 32 bytes. */
	readonly transmissionKey: Uint8Array;
	/** From 0 to 2^63 - 1, in units of the token. */
	readonly value: bigint;
	/** rcm, a scalar. */
	readonly randomness: Uint8Array;
}

const PERSONAL_BITS = 6;
const MESSAGE_BITS = 64 + 256 + 256;

/** @returns undefined if diversifier, key or randomness are invalid */
function commitmentPoint({ diversifier, transmissionKey, value, randomness }: Note): Point | undefined {
	const base = diversifiedBase(diversifier);
	const key = decodePoint(transmissionKey);
	const scalar = readScalar(randomness);
	if (!base || !key || !isPrimeOrder(key) || scalar === undefined) return undefined;
	const bits = new Uint8Array(PERSONAL_BITS + MESSAGE_BITS).fill(1, 0, PERSONAL_BITS);
	let at = putBits(bits, PERSONAL_BITS, littleBytes(value, 8));
	at = putBits(bits, at, encodePoint(base));
	putBits(bits, at, encodePoint(key));
	return pedersenPoint(bits).add(multiplySecret(noteRandomnessGenerator(), scalar));
}

/** cm: 32-byte note commitment. @returns undefined if diversifier, key or randomness are invalid */
export function noteCommitment(note: Note): Uint8Array | undefined {
	const point = commitmentPoint(note);
	return point && littleBytes(point.x);
}

/**
 * nf: the 32 bytes published when a note is spent.
 * @param position of the note's commitment in the tree, from 0
 * @returns undefined if the note or one of the keys is invalid
 */
export function nullifier(
	note: Note,
	ak: Uint8Array,
	nk: Uint8Array,
	position: bigint,
): Uint8Array | undefined {
	const keys = [decodePoint(ak), decodePoint(nk)];
	if (keys.some((key) => !key || !isPrimeOrder(key))) return undefined;
	const commitment = commitmentPoint(note);
	if (!commitment) return undefined;
	const mixed = commitment.add(multiplyPublic(positionGenerator(), position % GROUP_ORDER));
	const key = encodePoint(keys[1] as Point);
	return blake2s(concatBytes(key, encodePoint(mixed)), { personalization: utf8("Zcash_nf"), dkLen: 32 });
}

/** A nullifier exceeds the field of public inputs, so it is split in two. */
const NULLIFIER_LOW_BITS = 254n;

/** The two public inputs of a nullifier (protocol/shielded §6.3). */
export function nullifierInputs(nullifier: Uint8Array): [low: bigint, high: bigint] {
	const value = readLittle(nullifier);
	return [value & ((1n << NULLIFIER_LOW_BITS) - 1n), value >> NULLIFIER_LOW_BITS];
}
