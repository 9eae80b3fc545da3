/**
 * Jubjub, the curve inside shielded proofs (protocol/shielded §6.1): -x² + y² = 1 + d x² y² over the scalar
 * field of BLS12-381, with Sapling's encodings. Scalars and field elements are 32 bytes, little-endian; so
 * are points: y, with the lowest bit of x as the highest bit.
 */

import { jubjub, jubjub_findGroupHash } from "@noble/curves/misc.js";
import { blake2s } from "@noble/hashes/blake2.js";
import { be32, utf8 } from "../bytes.js";

/** The part of the library's point type used here, so that declarations need no other package. */
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

/** Order of the base field, which is the scalar field of BLS12-381. */
export const FIELD_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** Order of the prime-order subgroup. */
export const GROUP_ORDER = 0x0e7db4ea6533afa906673b0101343b00a6682093ccc81082d0970e5ed6f72cb7n;

export const INFINITY: Point = jubjub.Point.ZERO;

const SIZE = 32;
const TOP_BIT = 1n << 255n;

/** Reads a little-endian integer. */
export function readLittle(bytes: Uint8Array): bigint {
	const hex = Buffer.from(bytes).reverse().toString("hex");
	return BigInt(`0x${hex || "0"}`);
}

/** An integer as little-endian bytes. @param size default 32 */
export function littleBytes(value: bigint, size = SIZE): Uint8Array {
	return Uint8Array.from(Buffer.from(value.toString(16).padStart(2 * size, "0"), "hex").reverse());
}

/** @returns undefined if the bytes are not a canonical field element */
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

/** Interprets bytes of any length as an integer, reduced to a scalar. */
export const reduceScalar = (bytes: Uint8Array): bigint => readLittle(bytes) % GROUP_ORDER;

/**
 * Decodes a point of any order. x = 0 with its sign bit set is accepted, as in the network's library.
 * @returns undefined if y is not canonical, or not on the curve
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

/** Variable-time multiplication, for public scalars. @param scalar below the order of the subgroup */
export const multiplyPublic = (point: Point, scalar: bigint): Point => point.multiplyUnsafe(scalar);

/** Multiplication in as constant a time as JavaScript allows. @param scalar reduced */
export const multiplySecret = (point: Point, scalar: bigint): Point =>
	scalar === 0n ? INFINITY : point.multiply(scalar);

/** Whether [8]P is the point at infinity. */
export const isSmallOrder = (point: Point): boolean => point.clearCofactor().is0();

/** Whether the point is in the prime-order subgroup, which includes the point at infinity. */
export const isPrimeOrder = (point: Point): boolean => point.is0() || point.isTorsionFree();

const FIRST_BLOCK = utf8("096b36a5804bfacef1691e173c366a47ff5ba84a44f26ddd7e8d9f79d5b42df0");

/**
 * Hashes a tag to a point of the prime-order subgroup.
 * @param purpose personalisation of 8 letters
 * @returns undefined for about half of all tags
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

/** Created lazily: most programs never use it. */
function generator(message: Uint8Array, purpose: string): () => Point {
	let point: Point | undefined;
	return () => {
		point ??= jubjub_findGroupHash(message, utf8(purpose)).precompute(8);
		return point;
	};
}

const NONE = new Uint8Array(0);

/** For spend authorizations. */
export const spendGenerator = generator(NONE, "Zcash_G_");
/** For nullifier keys (nk). */
export const proofGenerator = generator(NONE, "Zcash_H_");
/** For the randomness of note commitments. */
export const noteRandomnessGenerator = generator(utf8("r"), "Zcash_PH");
/** For positions in nullifiers. */
export const positionGenerator = generator(NONE, "Zcash_J_");
/** For the value in value commitments. */
export const valueGenerator = generator(utf8("v"), "Zcash_cv");
/** For the randomness of value commitments. */
export const valueRandomnessGenerator = generator(utf8("r"), "Zcash_cv");

/** The generator of a segment of the Pedersen hash. */
export const segmentGenerator = (segment: number): Point =>
	jubjub_findGroupHash(Uint8Array.from(be32(segment)).reverse(), utf8("Zcash_PH"));
