/**
 * Groth16 proofs by a library compiled to WebAssembly. An instance of it knows one curve, and its own bindings have one
 * instance, which has another curve: this one is made and called without them.
 */

import type createInstance from "mcl-wasm/dist/mcl_c.js";
import { BLS12_381, COMPILED_SIZES, COORDINATE, SCALAR_BYTES } from "../../protocol/bls12-381.js";
import { littleBytes } from "../../protocol/sapling/jubjub.js";
import { type Groth16, type ProofCheck, splitProof } from "./groth16.js";
import type { VerifyingKey } from "./verifying-key.js";

/** An address in the memory of the instance. */
type Pointer = number;

/** Reads bytes. @returns how many it took; 0 where they are not what is read */
type Deserialize = (to: Pointer, bytes: Pointer, length: number) => number;
type Binary = (to: Pointer, a: Pointer, b: Pointer) => void;

/** What is called of the instance (the library's `include/mcl/bn.h`). */
interface Mcl {
	readonly wasmMemory: { readonly buffer: ArrayBuffer };
	_malloc(length: number): Pointer;
	/** @returns 0 where it is done */
	_mclBn_init(curve: number, compiledSizes: number): number;
	_mclBn_setETHserialization(on: number): void;
	_mclBn_verifyOrderG1(on: number): void;
	_mclBn_verifyOrderG2(on: number): void;
	_mclBnG1_deserialize: Deserialize;
	_mclBnG2_deserialize: Deserialize;
	_mclBnFr_setLittleEndianMod(to: Pointer, bytes: Pointer, length: number): number;
	_mclBnG1_add: Binary;
	_mclBnG1_mulVec(to: Pointer, points: Pointer, scalars: Pointer, count: number): void;
	_mclBnG2_neg(to: Pointer, from: Pointer): void;
	_mclBn_getUint64NumToPrecompute(): number;
	_mclBn_precomputeG2(to: Pointer, point: Pointer): void;
	_mclBn_millerLoop: Binary;
	/** The product of two loops, the second points precomputed. */
	_mclBn_precomputedMillerLoop2(to: Pointer, p1: Pointer, q1: Pointer, p2: Pointer, q2: Pointer): void;
	_mclBn_finalExp(to: Pointer, from: Pointer): void;
	_mclBn_pairing: Binary;
	_mclBnGT_mul: Binary;
	_mclBnGT_isEqual(a: Pointer, b: Pointer): number;
}

const G1 = 3 * COORDINATE;
const G2 = 6 * COORDINATE;
const GT = 12 * COORDINATE;

/** @throws where the library can't run */
export async function compiledGroth16(): Promise<Groth16> {
	const loaded = (await import("mcl-wasm/dist/mcl_c.js")) as { readonly default: typeof createInstance };
	const mcl = (await loaded.default({ cryptoGetRandomValues: refuseRandomness })) as unknown as Mcl;
	return new CompiledGroth16(mcl);
}

/** Nothing here is random. */
function refuseRandomness(): never {
	throw new Error("no randomness");
}

class CompiledGroth16 implements Groth16 {
	readonly name = "compiled";
	private readonly bytes: Pointer;
	private readonly a: Pointer;
	private readonly b: Pointer;
	private readonly c: Pointer;
	private readonly sum: Pointer;
	private readonly loop: Pointer;
	private readonly product: Pointer;

	constructor(private readonly mcl: Mcl) {
		if (mcl._mclBn_init(BLS12_381, COMPILED_SIZES) !== 0) throw new Error("the curve is not there");
		mcl._mclBn_setETHserialization(1);
		mcl._mclBn_verifyOrderG1(1);
		mcl._mclBn_verifyOrderG2(1);
		this.bytes = mcl._malloc(2 * COORDINATE);
		this.a = mcl._malloc(G1);
		this.b = mcl._malloc(G2);
		this.c = mcl._malloc(G1);
		this.sum = mcl._malloc(G1);
		this.loop = mcl._malloc(GT);
		this.product = mcl._malloc(GT);
	}

	prepare(key: VerifyingKey): ProofCheck {
		const { mcl } = this;
		const base = mcl._malloc(GT);
		this.must(mcl._mclBnG1_deserialize, this.a, key.alpha);
		this.must(mcl._mclBnG2_deserialize, this.b, key.beta);
		mcl._mclBn_pairing(base, this.a, this.b);
		const gamma = this.negative(key.gamma);
		const delta = this.negative(key.delta);
		const [constant, ...factors] = key.inputs.map((bytes) => bytes);
		const start = mcl._malloc(G1);
		this.must(mcl._mclBnG1_deserialize, start, constant ?? new Uint8Array(0));
		const points = mcl._malloc(G1 * factors.length);
		const scalars = mcl._malloc(SCALAR_BYTES * factors.length);
		for (const [i, bytes] of factors.entries()) this.must(mcl._mclBnG1_deserialize, points + G1 * i, bytes);
		return (proof, inputs) => {
			const parts = splitProof(proof);
			if (!parts || inputs.length !== factors.length) return false;
			if (!this.read(mcl._mclBnG1_deserialize, this.a, parts[0])) return false;
			if (!this.read(mcl._mclBnG2_deserialize, this.b, parts[1])) return false;
			if (!this.read(mcl._mclBnG1_deserialize, this.c, parts[2])) return false;
			for (const [i, input] of inputs.entries()) {
				mcl._mclBnFr_setLittleEndianMod(
					scalars + SCALAR_BYTES * i,
					this.place(littleBytes(input)),
					SCALAR_BYTES,
				);
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

	/** The opposite of a point of the second group, with what a loop over it calculates ahead. */
	private negative(bytes: Uint8Array): Pointer {
		const { mcl } = this;
		this.must(mcl._mclBnG2_deserialize, this.b, bytes);
		mcl._mclBnG2_neg(this.b, this.b);
		const to = mcl._malloc(8 * mcl._mclBn_getUint64NumToPrecompute());
		mcl._mclBn_precomputeG2(to, this.b);
		return to;
	}

	private place(bytes: Uint8Array): Pointer {
		// The memory is another one once it has grown.
		new Uint8Array(this.mcl.wasmMemory.buffer).set(bytes, this.bytes);
		return this.bytes;
	}

	/** Not the point at infinity, which has no form that gets here. @returns whether a point of the group is encoded so */
	private read(deserialize: Deserialize, to: Pointer, bytes: Uint8Array): boolean {
		return deserialize(to, this.place(bytes), bytes.length) === bytes.length;
	}

	private must(deserialize: Deserialize, to: Pointer, bytes: Uint8Array): void {
		if (!this.read(deserialize, to, bytes)) throw new Error("a point of the key is not in its group");
	}
}
