/** Proofs of commitments by a library without compiled code. */

import { bls12_381 } from "@noble/curves/bls12-381.js";
import { toHex } from "../../../protocol/bytes.js";
import type { Kzg } from "./kzg.js";
import { TAU_G2 } from "./kzg-setup.js";

const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;
const { Fp12 } = bls12_381.fields;
type PointG1 = InstanceType<typeof G1>;
type PointG2 = InstanceType<typeof G2>;

/** Made when it is first needed: reading the point takes some milliseconds. */
let secret: PointG2 | undefined;

/** The point if there is one, and it is in the first group. */
function readG1(bytes: Uint8Array): PointG1 | undefined {
	try {
		// Looks for the group as well.
		return G1.fromBytes(Uint8Array.from(bytes));
	} catch {
		// The library has no question without an exception; that there is no such point is all that can be wrong here.
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
