/**
 * BLS12-381 via mcl compiled to WebAssembly. An instance supports a single curve, and the package's own
 * bindings share one instance set to another curve, so we create an instance directly, without the bindings.
 */

import type createInstance from "mcl-wasm/dist/mcl_c.js";
import { COORDINATE, SCALAR_BYTES } from "./bls12-381.js";

/** Address in the instance's memory. */
export type Pointer = number;

/** Parses bytes. @returns the number of bytes consumed; 0 if they are invalid */
type Deserialize = (to: Pointer, bytes: Pointer, length: number) => number;
type Unary = (to: Pointer, from: Pointer) => void;
type Binary = (to: Pointer, a: Pointer, b: Pointer) => void;
/** @returns 1 or 0 */
type Question = (of: Pointer) => number;

/** The functions used of an instance (the library's `include/mcl/bn.h`). */
interface Mcl {
	readonly wasmMemory: { readonly buffer: ArrayBuffer };
	_malloc(length: number): Pointer;
	/** @returns 0 on success */
	_mclBn_init(curve: number, compiledSizes: number): number;
	_mclBn_setETHserialization(on: number): void;
	_mclBn_verifyOrderG1(on: number): void;
	_mclBn_verifyOrderG2(on: number): void;
	_mclBnFr_setBigEndianMod: Deserialize;
	_mclBnFr_setLittleEndianMod: Deserialize;
	_mclBnG1_deserialize: Deserialize;
	_mclBnG1_add: Binary;
	_mclBnG1_neg: Unary;
	_mclBnG1_isZero: Question;
	/** Multi-scalar multiplication. @param points contiguous, like the scalars */
	_mclBnG1_mulVec(to: Pointer, points: Pointer, scalars: Pointer, count: number): void;
	_mclBnG2_deserialize: Deserialize;
	_mclBnG2_neg: Unary;
	_mclBn_getUint64NumToPrecompute(): number;
	_mclBn_precomputeG2: Unary;
	_mclBn_millerLoop: Binary;
	/** Product of two Miller loops with precomputed G2 points. */
	_mclBn_precomputedMillerLoop2(to: Pointer, p1: Pointer, q1: Pointer, p2: Pointer, q2: Pointer): void;
	_mclBn_finalExp: Unary;
	_mclBn_pairing: Binary;
	_mclBnGT_mul: Binary;
	_mclBnGT_isOne: Question;
	_mclBnGT_isEqual(a: Pointer, b: Pointer): number;
}

/** The library's id of the curve. */
const BLS12_381 = 5;
/** Field sizes in 8-byte words. */
const SCALAR_WORDS = 4;
const COORDINATE_WORDS = 6;
/** Encodes the sizes the library was compiled with. */
const COMPILED_SIZES = 10 * SCALAR_WORDS + COORDINATE_WORDS;

/** Size of each group's element in instance memory, in bytes. */
export const G1_SIZE = 3 * COORDINATE;
export const G2_SIZE = 6 * COORDINATE;
export const GT_SIZE = 12 * COORDINATE;

/** Creates a dedicated instance. @throws if the library can't run */
export async function compiledBls12381(): Promise<CompiledBls12381> {
	const loaded = (await import("mcl-wasm/dist/mcl_c.js")) as { readonly default: typeof createInstance };
	const mcl = (await loaded.default({ cryptoGetRandomValues: refuseRandomness })) as Mcl;
	return new CompiledBls12381(mcl);
}

/** No operation used here needs randomness. */
function refuseRandomness(): never {
	throw new Error("no randomness");
}

/** An instance and the transfer of bytes to its memory. Points are checked to be in their subgroup. */
export class CompiledBls12381 {
	/** Input buffer in instance memory. */
	private readonly bytes: Pointer;

	constructor(readonly mcl: Mcl) {
		if (mcl._mclBn_init(BLS12_381, COMPILED_SIZES) !== 0) throw new Error("the curve is not there");
		mcl._mclBn_setETHserialization(1);
		mcl._mclBn_verifyOrderG1(1);
		mcl._mclBn_verifyOrderG2(1);
		this.bytes = mcl._malloc(2 * COORDINATE);
	}

	allocate(size: number): Pointer {
		return this.mcl._malloc(size);
	}

	/** @param bytes 48, compressed @returns whether they encode a point of the group */
	readG1(to: Pointer, bytes: Uint8Array): boolean {
		return this.mcl._mclBnG1_deserialize(to, this.place(bytes), bytes.length) === bytes.length;
	}

	/** @param bytes 96, compressed @returns whether they encode a point of the group */
	readG2(to: Pointer, bytes: Uint8Array): boolean {
		return this.mcl._mclBnG2_deserialize(to, this.place(bytes), bytes.length) === bytes.length;
	}

	/** @param bytes 32, reduced modulo the group order */
	readBigEndianScalar(to: Pointer, bytes: Uint8Array): void {
		this.mcl._mclBnFr_setBigEndianMod(to, this.place(bytes), SCALAR_BYTES);
	}

	/** @param bytes 32, reduced modulo the group order */
	readLittleEndianScalar(to: Pointer, bytes: Uint8Array): void {
		this.mcl._mclBnFr_setLittleEndianMod(to, this.place(bytes), SCALAR_BYTES);
	}

	/** Precomputes the Miller loop coefficients of a G2 point. */
	precompute(point: Pointer): Pointer {
		const to = this.allocate(8 * this.mcl._mclBn_getUint64NumToPrecompute());
		this.mcl._mclBn_precomputeG2(to, point);
		return to;
	}

	private place(bytes: Uint8Array): Pointer {
		// The buffer is replaced when the memory grows.
		new Uint8Array(this.mcl.wasmMemory.buffer).set(bytes, this.bytes);
		return this.bytes;
	}
}
