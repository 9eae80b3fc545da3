/**
 * Jubjub, the curve inside the proofs of shielded transactions (protocol/shielded §6.1): -x² + y² = 1 + d x² y² over the
 * scalar field of BLS12-381, in the encodings of the Sapling construction. A scalar or a field element is 32 bytes,
 * lowest first; so is a point: y, and the lowest bit of x as the highest bit.
 */

import { jubjub, jubjub_findGroupHash } from "@noble/curves/misc.js";
import { blake2s } from "@noble/hashes/blake2.js";
import { be32, utf8 } from "../bytes.js";

/** What of a point is used here, so that the library's types need no other package. */
export interface Point {
	readonly x: bigint;
	readonly y: bigint;
	add(other: Point): Point;
	subtract(other: Point): Point;
	negate(): Point;
	double(): Point;
	equals(other: Point): boolean;
	multiply(scalar: bigint): Point;
	multiplyUnsafe(scalar: bigint): Point;
	clearCofactor(): Point;
	isTorsionFree(): boolean;
	is0(): boolean;
	toAffine(): { readonly x: bigint; readonly y: bigint };
	toBytes(): Uint8Array;
}

/** Order of the field of coordinates: of the scalars of BLS12-381. */
export const FIELD_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** Order of the prime-order subgroup. */
export const GROUP_ORDER = 0x0e7db4ea6533afa906673b0101343b00a6682093ccc81082d0970e5ed6f72cb7n;

export const INFINITY: Point = jubjub.Point.ZERO;

const SIZE = 32;
const TOP_BIT = 1n << 255n;

/** Reads a number, lowest byte first. */
export function readLittle(bytes: Uint8Array): bigint {
	const hex = Buffer.from(bytes).reverse().toString("hex");
	return BigInt(`0x${hex || "0"}`);
}

/** A number as bytes, lowest first. @param size 32 if not given */
export function littleBytes(value: bigint, size = SIZE): Uint8Array {
	return Uint8Array.from(Buffer.from(value.toString(16).padStart(2 * size, "0"), "hex").reverse());
}

/** @returns undefined if the bytes are not a canonical element of the field */
export function readField(bytes: Uint8Array): bigint | undefined {
	if (bytes.length !== SIZE) return undefined;
	const value = readLittle(bytes);
	return value < FIELD_ORDER ? value : undefined;
}

/** @returns undefined if the bytes are not a canonical scalar */
export function readScalar(bytes: Uint8Array): bigint | undefined {
	if (bytes.length !== SIZE) return undefined;
	const value = readLittle(bytes);
	return value < GROUP_ORDER ? value : undefined;
}

/** Bytes of any length as a scalar, reduced. */
export const reduceScalar = (bytes: Uint8Array): bigint => readLittle(bytes) % GROUP_ORDER;

/**
 * Decodes a point of any order. x = 0 is taken with its sign bit set too, as the network's library takes it.
 * @returns undefined if y is not canonical, or no point has it
 */
export function decodePoint(bytes: Uint8Array): Point | undefined {
	if (bytes.length !== SIZE) return undefined;
	const value = readLittle(bytes);
	if ((value & (TOP_BIT - 1n)) >= FIELD_ORDER) return undefined;
	try {
		return jubjub.Point.fromBytes(bytes, true);
	} catch {
		return undefined;
	}
}

export const encodePoint = (point: Point): Uint8Array => point.toBytes();

/** A multiple of a point, in a time that depends on the scalar: for what is public. @param scalar below the order of the subgroup */
export const multiplyPublic = (point: Point, scalar: bigint): Point => point.multiplyUnsafe(scalar);

/** A multiple of a point, with what can be done in this language against telling the scalar by time. @param scalar reduced */
export const multiplySecret = (point: Point, scalar: bigint): Point =>
	scalar === 0n ? INFINITY : point.multiply(scalar);

/** Whether [8]P is the point at infinity. */
export const isSmallOrder = (point: Point): boolean => point.clearCofactor().is0();

/** Whether the point is in the prime-order subgroup; the point at infinity is. */
export const isPrimeOrder = (point: Point): boolean => point.is0() || point.isTorsionFree();

const FIRST_BLOCK = utf8("096b36a5804bfacef1691e173c366a47ff5ba84a44f26ddd7e8d9f79d5b42df0");

/**
 * Hashes a tag to a point of the prime-order subgroup.
 * @param purpose personalisation of 8 letters
 * @returns undefined for about half of all tags, which have none
 */
export function groupHash(tag: Uint8Array, purpose: string): Point | undefined {
	const digest = blake2s
		.create({ personalization: utf8(purpose), dkLen: SIZE })
		.update(FIRST_BLOCK)
		.update(tag)
		.digest();
	const point = decodePoint(digest)?.clearCofactor();
	return point === undefined || point.is0() ? undefined : point;
}

/** Made when first asked for: most programs never do. */
function generator(message: Uint8Array, purpose: string): () => Point {
	let point: Point | undefined;
	return () => {
		point ??= jubjub_findGroupHash(message, utf8(purpose)).precompute(8);
		return point;
	};
}

const NONE = new Uint8Array(0);

/** Of spend authorizations. */
export const spendGenerator = generator(NONE, "Zcash_G_");
/** Of the keys that prove who may spend. */
export const proofGenerator = generator(NONE, "Zcash_H_");
/** Of the randomness of note commitments. */
export const noteRandomnessGenerator = generator(utf8("r"), "Zcash_PH");
/** Of positions in nullifiers. */
export const positionGenerator = generator(NONE, "Zcash_J_");
/** Of amounts in value commitments. */
export const valueGenerator = generator(utf8("v"), "Zcash_cv");
/** Of the randomness of value commitments. */
export const valueRandomnessGenerator = generator(utf8("r"), "Zcash_cv");

/** The generator of a segment of the Pedersen hash. */
export const segmentGenerator = (segment: number): Point =>
	jubjub_findGroupHash(Uint8Array.from(be32(segment)).reverse(), utf8("Zcash_PH"));
