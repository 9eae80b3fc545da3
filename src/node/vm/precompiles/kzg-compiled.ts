/** KZG proof verification with the same compiled library as alt_bn128. */

import { SCALAR_BYTES } from "../../../protocol/bls12-381.js";
import {
	type CompiledBls12381,
	compiledBls12381,
	G1_SIZE,
	G2_SIZE,
	GT_SIZE,
	type Pointer,
} from "../../../protocol/bls12-381-compiled.js";
import { fromHex } from "../../../protocol/bytes.js";
import type { Kzg, KzgClaim } from "./kzg.js";
import { GENERATOR_G1, GENERATOR_G2, TAU_G2 } from "./kzg-setup.js";

/** @throws where the library can't run */
export async function compiledKzg(): Promise<Kzg> {
	return new CompiledKzg(await compiledBls12381());
}

class CompiledKzg implements Kzg {
	readonly name = "compiled";
	private readonly commitment: Pointer;
	/** -G1 followed by the proof, to be multiplied by y and z. */
	private readonly points: Pointer;
	private readonly proof: Pointer;
	private readonly scalars: Pointer;
	private readonly sum: Pointer;
	private readonly product: Pointer;
	/** -G2 and [τ]G2 with their precomputed Miller loop coefficients. */
	private readonly negative: Pointer;
	private readonly secret: Pointer;

	constructor(private readonly curve: CompiledBls12381) {
		const { mcl } = curve;
		this.commitment = curve.allocate(G1_SIZE);
		this.points = curve.allocate(2 * G1_SIZE);
		this.proof = this.points + G1_SIZE;
		this.scalars = curve.allocate(2 * SCALAR_BYTES);
		this.sum = curve.allocate(G1_SIZE);
		this.product = curve.allocate(GT_SIZE);
		const point = curve.allocate(G2_SIZE);
		curve.readG1(this.points, fromHex(GENERATOR_G1));
		mcl._mclBnG1_neg(this.points, this.points);
		curve.readG2(point, fromHex(GENERATOR_G2));
		mcl._mclBnG2_neg(point, point);
		this.negative = curve.precompute(point);
		curve.readG2(point, fromHex(TAU_G2));
		this.secret = curve.precompute(point);
	}

	verify({ commitment, z, y, proof }: KzgClaim): boolean {
		const { curve } = this;
		const { mcl } = curve;
		if (!curve.readG1(this.commitment, commitment)) return false;
		if (!curve.readG1(this.proof, proof)) return false;
		curve.readBigEndianScalar(this.scalars, y);
		curve.readBigEndianScalar(this.scalars + SCALAR_BYTES, z);
		mcl._mclBnG1_mulVec(this.sum, this.points, this.scalars, 2);
		mcl._mclBnG1_add(this.sum, this.sum, this.commitment);
		// If the proof is the point at infinity, it only remains to check that the commitment is y times the generator.
		if (mcl._mclBnG1_isZero(this.proof) === 1) return mcl._mclBnG1_isZero(this.sum) === 1;
		mcl._mclBn_precomputedMillerLoop2(this.product, this.sum, this.negative, this.proof, this.secret);
		mcl._mclBn_finalExp(this.product, this.product);
		return mcl._mclBnGT_isOne(this.product) === 1;
	}
}
