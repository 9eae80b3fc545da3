/**
 * KZG commitments over BLS12-381 (EIP-4844), and which library verifies them. A commitment C stands for a
 * polynomial p; a proof W shows that p(z) = y if e(C - y G1 + z W, -G2) e(W, [τ]G2) = 1, where τ is the
 * secret of the trusted setup, which nobody knows.
 */

import { bls12_381 } from "@noble/curves/bls12-381.js";
import { COMPRESSED, INFINITY_FLAG } from "../../../protocol/bls12-381.js";
import { fromHex, toHex } from "../../../protocol/bytes.js";
import { TAU_G2 } from "./kzg-setup.js";
import { LoadedLibrary } from "./loaded-library.js";

/** Portable implementation. */
const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;
const { Fp12 } = bls12_381.fields;
type PointG1 = InstanceType<typeof G1>;
type PointG2 = InstanceType<typeof G2>;

/** Created on first use, since decoding the point takes some milliseconds. */
let secret: PointG2 | undefined;

/** Decodes a point; undefined if it isn't in the first group. */
function readG1(bytes: Uint8Array): PointG1 | undefined {
	try {
		// Also checks the subgroup.
		return G1.fromBytes(Uint8Array.from(bytes));
	} catch {
		// The library only offers a throwing check, and nothing but the point can be wrong here.
		return undefined;
	}
}

const times = (point: PointG1, scalar: Uint8Array): PointG1 => {
	const factor = BigInt(`0x${toHex(scalar)}`);
	return factor === 0n || point.is0() ? G1.ZERO : point.multiplyUnsafe(factor);
};

export const portableKzg: Kzg = {
	name: "portable",
	verify({ commitment, z, y, proof }) {
		const c = readG1(commitment);
		const w = c && readG1(proof);
		if (!c || !w) return false;
		secret ??= G2.fromHex(TAU_G2);
		const left = c.subtract(times(G1.BASE, y)).add(times(w, z));
		const pairs = [
			{ g1: left, g2: G2.BASE.negate() },
			{ g1: w, g2: secret },
		].filter(({ g1 }) => !g1.is0());
		return pairs.length === 0 || Fp12.eql(bls12_381.pairingBatch(pairs), Fp12.ONE);
	},
};

/** The claim that a commitment's polynomial has the value y at z. */
export interface KzgClaim {
	/** 48 bytes; must satisfy {@link isCompressedPoint}. */
	readonly commitment: Uint8Array;
	/** 32 bytes, big-endian, below the groups' order; the same for y. */
	readonly z: Uint8Array;
	readonly y: Uint8Array;
	/** 48 bytes; like the commitment. */
	readonly proof: Uint8Array;
}

export interface Kzg {
	readonly name: string;
	/** Also false if the commitment or proof isn't a point of the first group. */
	verify(claim: KzgClaim): boolean;
}

/** Order of the groups (EIP-4844, `BLS_MODULUS`). */
export const BLS_MODULUS = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

const POINT = 48;

/** Order of the field of coordinates (draft-irtf-cfrg-pairing-friendly-curves, §4.2.1). */
const FIELD_ORDER = fromHex(
	"1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
);

/**
 * Whether 48 bytes have the form of a compressed G1 point: the compression flag, and a coordinate below the field's order or,
 * for the point at infinity, only the infinity flag. Doesn't check whether the point exists.
 */
export function isCompressedPoint(bytes: Uint8Array): boolean {
	const flags = bytes[0] as number;
	if (bytes.length !== POINT || (flags & COMPRESSED) === 0) return false;
	const x = Uint8Array.from(bytes);
	x[0] = flags & 0x1f;
	if ((flags & INFINITY_FLAG) !== 0)
		return flags === (COMPRESSED | INFINITY_FLAG) && x.every((byte) => byte === 0);
	return Buffer.compare(x, FIELD_ORDER) < 0;
}

const library = new LoadedLibrary<Kzg>(portableKzg, async () =>
	(await import("./kzg-compiled.js")).compiledKzg(),
);

/** The best library available now; the first call starts loading a better one. */
export const kzg = (): Kzg => library.best();

/** Loads the compiled library if it can run here. @returns the library in use from now on */
export const loadKzg = (): Promise<Kzg> => library.loaded();
