/**
 * Proofs of commitments by the library that calculates on alt_bn128 as well. An instance of it knows one curve, and its
 * own bindings have one instance, which has the other curve: this one is made and called without them.
 */

import type createInstance from "mcl-wasm/dist/mcl_c.js";
import { BLS12_381, COMPILED_SIZES, COORDINATE, SCALAR_BYTES } from "../../../protocol/bls12-381.js";
import { fromHex } from "../../../protocol/bytes.js";
import type { Kzg, KzgClaim } from "./kzg.js";
import { GENERATOR_G1, GENERATOR_G2, TAU_G2 } from "./kzg-setup.js";

/** An address in the memory of the instance. */
type Pointer = number;

/** Reads bytes. @returns how many it took; 0 where they are not what is read */
type Deserialize = (to: Pointer, bytes: Pointer, length: number) => number;

/** What is called of the instance (the library's `include/mcl/bn.h`). */
interface Mcl {
	readonly wasmMemory: { readonly buffer: ArrayBuffer };
	_malloc(length: number): Pointer;
	/** @returns 0 where it is done */
	_mclBn_init(curve: number, compiledSizes: number): number;
	_mclBn_setETHserialization(on: number): void;
	_mclBn_verifyOrderG1(on: number): void;
	_mclBnG1_deserialize: Deserialize;
	_mclBnG2_deserialize: Deserialize;
	_mclBnFr_setBigEndianMod(to: Pointer, bytes: Pointer, length: number): number;
	_mclBnG1_add(to: Pointer, a: Pointer, b: Pointer): void;
	/** The sum of multiples. @param points one behind the other, as the scalars are */
	_mclBnG1_mulVec(to: Pointer, points: Pointer, scalars: Pointer, count: number): void;
	_mclBnG1_neg(to: Pointer, from: Pointer): void;
	_mclBnG1_isZero(of: Pointer): number;
	_mclBnG2_neg(to: Pointer, from: Pointer): void;
	_mclBn_getUint64NumToPrecompute(): number;
	_mclBn_precomputeG2(to: Pointer, point: Pointer): void;
	/** The product of two loops, the second points precomputed. */
	_mclBn_precomputedMillerLoop2(to: Pointer, p1: Pointer, q1: Pointer, p2: Pointer, q2: Pointer): void;
	_mclBn_finalExp(to: Pointer, from: Pointer): void;
	_mclBnGT_isOne(of: Pointer): number;
}

const G1_SIZE = 3 * COORDINATE;
const G2_SIZE = 6 * COORDINATE;
const GT_SIZE = 12 * COORDINATE;

/** @throws where the library can't run */
export async function compiledKzg(): Promise<Kzg> {
	const loaded = (await import("mcl-wasm/dist/mcl_c.js")) as { readonly default: typeof createInstance };
	const mcl = (await loaded.default({ cryptoGetRandomValues: refuseRandomness })) as unknown as Mcl;
	return new CompiledKzg(mcl);
}

/** Nothing here is random. */
function refuseRandomness(): never {
	throw new Error("no randomness");
}

class CompiledKzg implements Kzg {
	readonly name = "compiled";
	private readonly bytes: Pointer;
	private readonly commitment: Pointer;
	/** -G1, and behind it the proof, to be multiplied by y and z. */
	private readonly points: Pointer;
	private readonly proof: Pointer;
	private readonly scalars: Pointer;
	private readonly sum: Pointer;
	private readonly product: Pointer;
	/** -G2 and [τ]G2 with what a loop over them calculates ahead. */
	private readonly negative: Pointer;
	private readonly secret: Pointer;

	constructor(private readonly mcl: Mcl) {
		if (mcl._mclBn_init(BLS12_381, COMPILED_SIZES) !== 0) throw new Error("the curve is not there");
		mcl._mclBn_setETHserialization(1);
		mcl._mclBn_verifyOrderG1(1);
		this.bytes = mcl._malloc(2 * COORDINATE);
		this.commitment = mcl._malloc(G1_SIZE);
		this.points = mcl._malloc(2 * G1_SIZE);
		this.proof = this.points + G1_SIZE;
		this.scalars = mcl._malloc(2 * SCALAR_BYTES);
		this.sum = mcl._malloc(G1_SIZE);
		this.product = mcl._malloc(GT_SIZE);
		const point = mcl._malloc(G2_SIZE);
		this.read(mcl._mclBnG1_deserialize, this.points, fromHex(GENERATOR_G1));
		mcl._mclBnG1_neg(this.points, this.points);
		this.read(mcl._mclBnG2_deserialize, point, fromHex(GENERATOR_G2));
		mcl._mclBnG2_neg(point, point);
		this.negative = this.precompute(point);
		this.read(mcl._mclBnG2_deserialize, point, fromHex(TAU_G2));
		this.secret = this.precompute(point);
	}

	private precompute(point: Pointer): Pointer {
		const { mcl } = this;
		const to = mcl._malloc(8 * mcl._mclBn_getUint64NumToPrecompute());
		mcl._mclBn_precomputeG2(to, point);
		return to;
	}

	private place(bytes: Uint8Array): Pointer {
		// The memory is another one once it has grown.
		new Uint8Array(this.mcl.wasmMemory.buffer).set(bytes, this.bytes);
		return this.bytes;
	}

	private read(deserialize: Deserialize, to: Pointer, bytes: Uint8Array): boolean {
		return deserialize(to, this.place(bytes), bytes.length) === bytes.length;
	}

	private readScalar(to: Pointer, scalar: Uint8Array): void {
		this.mcl._mclBnFr_setBigEndianMod(to, this.place(scalar), scalar.length);
	}

	verify({ commitment, z, y, proof }: KzgClaim): boolean {
		const { mcl } = this;
		if (!this.read(mcl._mclBnG1_deserialize, this.commitment, commitment)) return false;
		if (!this.read(mcl._mclBnG1_deserialize, this.proof, proof)) return false;
		this.readScalar(this.scalars, y);
		this.readScalar(this.scalars + SCALAR_BYTES, z);
		mcl._mclBnG1_mulVec(this.sum, this.points, this.scalars, 2);
		mcl._mclBnG1_add(this.sum, this.sum, this.commitment);
		// What is left to ask then is whether the commitment is y times the generator.
		if (mcl._mclBnG1_isZero(this.proof) === 1) return mcl._mclBnG1_isZero(this.sum) === 1;
		mcl._mclBn_precomputedMillerLoop2(this.product, this.sum, this.negative, this.proof, this.secret);
		mcl._mclBn_finalExp(this.product, this.product);
		return mcl._mclBnGT_isOne(this.product) === 1;
	}
}
