/** Groth16 verification with a library compiled to WebAssembly. */

import { SCALAR_BYTES } from "../../protocol/bls12-381.js";
import {
	type CompiledBls12381,
	compiledBls12381,
	G1_SIZE,
	G2_SIZE,
	GT_SIZE,
	type Pointer,
} from "../../protocol/bls12-381-compiled.js";
import { littleBytes } from "../../protocol/sapling/jubjub.js";
import { type Groth16, type ProofCheck, splitProof } from "./groth16.js";
import type { VerifyingKey } from "./verifying-key.js";

/** @throws where the library can't run */
export async function compiledGroth16(): Promise<Groth16> {
	return new CompiledGroth16(await compiledBls12381());
}

class CompiledGroth16 implements Groth16 {
	readonly name = "compiled";
	private readonly a: Pointer;
	private readonly b: Pointer;
	private readonly c: Pointer;
	private readonly sum: Pointer;
	private readonly loop: Pointer;
	private readonly product: Pointer;

	constructor(private readonly curve: CompiledBls12381) {
		this.a = curve.allocate(G1_SIZE);
		this.b = curve.allocate(G2_SIZE);
		this.c = curve.allocate(G1_SIZE);
		this.sum = curve.allocate(G1_SIZE);
		this.loop = curve.allocate(GT_SIZE);
		this.product = curve.allocate(GT_SIZE);
	}

	prepare(key: VerifyingKey): ProofCheck {
		const { curve } = this;
		const { mcl } = curve;
		const base = curve.allocate(GT_SIZE);
		must(curve.readG1(this.a, key.alpha));
		must(curve.readG2(this.b, key.beta));
		mcl._mclBn_pairing(base, this.a, this.b);
		const gamma = this.negative(key.gamma);
		const delta = this.negative(key.delta);
		const [constant, ...factors] = key.inputs.map((bytes) => bytes);
		const start = curve.allocate(G1_SIZE);
		must(curve.readG1(start, constant ?? new Uint8Array(0)));
		const points = curve.allocate(G1_SIZE * factors.length);
		const scalars = curve.allocate(SCALAR_BYTES * factors.length);
		for (const [i, bytes] of factors.entries()) must(curve.readG1(points + G1_SIZE * i, bytes));
		return (proof, inputs) => {
			const parts = splitProof(proof);
			if (!parts || inputs.length !== factors.length) return false;
			if (!curve.readG1(this.a, parts[0])) return false;
			if (!curve.readG2(this.b, parts[1])) return false;
			if (!curve.readG1(this.c, parts[2])) return false;
			for (const [i, input] of inputs.entries()) {
				curve.readLittleEndianScalar(scalars + SCALAR_BYTES * i, littleBytes(input));
			}
			mcl._mclBnG1_mulVec(this.sum, points, scalars, inputs.length);
			mcl._mclBnG1_add(this.sum, this.sum, start);
			mcl._mclBn_millerLoop(this.loop, this.a, this.b);
			mcl._mclBn_precomputedMillerLoop2(this.product, this.sum, gamma, this.c, delta);
			mcl._mclBnGT_mul(this.product, this.product, this.loop);
			mcl._mclBn_finalExp(this.product, this.product);
			return mcl._mclBnGT_isEqual(this.product, base) === 1;
		};
	}

	/** A negated point of the second group, with its precomputed Miller loop coefficients. */
	private negative(bytes: Uint8Array): Pointer {
		must(this.curve.readG2(this.b, bytes));
		this.curve.mcl._mclBnG2_neg(this.b, this.b);
		return this.curve.precompute(this.b);
	}
}

function must(isRead: boolean): void {
	if (!isRead) throw new Error("a point of the key is not in its group");
}
