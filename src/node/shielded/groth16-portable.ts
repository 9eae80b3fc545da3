/** Groth16 verification with the portable library. */

import { bls12_381 } from "@noble/curves/bls12-381.js";
import { type Groth16, splitProof } from "./groth16.js";

const { Point: G1 } = bls12_381.G1;
const { Point: G2 } = bls12_381.G2;
const { Fp12 } = bls12_381.fields;

interface GroupPoint {
	isTorsionFree(): boolean;
	is0(): boolean;
}

/** @returns undefined if the bytes don't encode a point of the group other than infinity */
function read<P extends GroupPoint>(
	group: { fromBytes(bytes: Uint8Array): P },
	bytes: Uint8Array,
): P | undefined {
	try {
		const point = group.fromBytes(bytes);
		return !point.is0() && point.isTorsionFree() ? point : undefined;
	} catch {
		return undefined;
	}
}

export const portableGroth16: Groth16 = {
	name: "portable",
	prepare(key) {
		const gamma = G2.fromBytes(key.gamma).negate();
		const delta = G2.fromBytes(key.delta).negate();
		const base = bls12_381.pairing(G1.fromBytes(key.alpha), G2.fromBytes(key.beta));
		const [constant, ...factors] = key.inputs.map((bytes) => G1.fromBytes(bytes));
		return (proof, inputs) => {
			const parts = splitProof(proof);
			const a = parts && read(G1, parts[0]);
			const b = parts && read(G2, parts[1]);
			const c = parts && read(G1, parts[2]);
			if (!a || !b || !c || !constant || inputs.length !== factors.length) return false;
			let sum = constant;
			for (const [i, factor] of factors.entries()) sum = sum.add(factor.multiplyUnsafe(inputs[i] as bigint));
			const pairs = [
				{ g1: a, g2: b },
				{ g1: sum, g2: gamma },
				{ g1: c, g2: delta },
			];
			// The pairing with a point at infinity is one.
			const product = bls12_381.pairingBatch(pairs.filter(({ g1 }) => !g1.is0()));
			return Fp12.eql(product, base);
		};
	},
};
