/**
 * The curve BLS12-381 by a library compiled to WebAssembly. An instance of it knows one curve, and its own bindings have
 * one instance, which has another curve: this one is made and called without them.
 */

import type createInstance from "mcl-wasm/dist/mcl_c.js";
import { COORDINATE, SCALAR_BYTES } from "./bls12-381.js";

/** An address in the memory of the instance. */
export type Pointer = number;

/** Reads bytes. @returns how many it took; 0 where they are not what is read */
type Deserialize = (to: Pointer, bytes: Pointer, length: number) => number;
type Unary = (to: Pointer, from: Pointer) => void;
type Binary = (to: Pointer, a: Pointer, b: Pointer) => void;
/** @returns 1 or 0 */
type Question = (of: Pointer) => number;

/** What is called of an instance (the library's `include/mcl/bn.h`). */
interface Mcl {
	readonly wasmMemory: { readonly buffer: ArrayBuffer };
	_malloc(length: number): Pointer;
	/** @returns 0 where it is done */
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
	/** The sum of multiples. @param points one behind the other, as the scalars are */
	_mclBnG1_mulVec(to: Pointer, points: Pointer, scalars: Pointer, count: number): void;
	_mclBnG2_deserialize: Deserialize;
	_mclBnG2_neg: Unary;
	_mclBn_getUint64NumToPrecompute(): number;
	_mclBn_precomputeG2: Unary;
	_mclBn_millerLoop: Binary;
	/** The product of two loops, the second points precomputed. */
	_mclBn_precomputedMillerLoop2(to: Pointer, p1: Pointer, q1: Pointer, p2: Pointer, q2: Pointer): void;
	_mclBn_finalExp: Unary;
	_mclBn_pairing: Binary;
	_mclBnGT_mul: Binary;
	_mclBnGT_isOne: Question;
	_mclBnGT_isEqual(a: Pointer, b: Pointer): number;
}

/** The curve's number in the library. */
const BLS12_381 = 5;
/** Words of eight bytes. */
const SCALAR_WORDS = 4;
const COORDINATE_WORDS = 6;
/** What the library is told about the sizes that it was built for. */
const COMPILED_SIZES = 10 * SCALAR_WORDS + COORDINATE_WORDS;

/** Bytes of a point of each group in the memory of an instance. */
export const G1_SIZE = 3 * COORDINATE;
export const G2_SIZE = 6 * COORDINATE;
export const GT_SIZE = 12 * COORDINATE;

/** An instance of its own. @throws where the library can't run */
export async function compiledBls12381(): Promise<CompiledBls12381> {
	const loaded = (await import("mcl-wasm/dist/mcl_c.js")) as { readonly default: typeof createInstance };
	const mcl = (await loaded.default({ cryptoGetRandomValues: refuseRandomness })) as Mcl;
	return new CompiledBls12381(mcl);
}

/** Nothing here is random. */
function refuseRandomness(): never {
	throw new Error("no randomness");
}

/** An instance, and how bytes get into its memory. Points that are read must be in their group. */
export class CompiledBls12381 {
	/** Where bytes stand that are read next. */
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

	/** @param bytes 48, compressed @returns whether they are a point of the group */
	readG1(to: Pointer, bytes: Uint8Array): boolean {
		return this.mcl._mclBnG1_deserialize(to, this.place(bytes), bytes.length) === bytes.length;
	}

	/** @param bytes 96, compressed @returns whether they are a point of the group */
	readG2(to: Pointer, bytes: Uint8Array): boolean {
		return this.mcl._mclBnG2_deserialize(to, this.place(bytes), bytes.length) === bytes.length;
	}

	/** @param bytes 32, reduced by the order */
	readBigEndianScalar(to: Pointer, bytes: Uint8Array): void {
		this.mcl._mclBnFr_setBigEndianMod(to, this.place(bytes), SCALAR_BYTES);
	}

	/** @param bytes 32, reduced by the order */
	readLittleEndianScalar(to: Pointer, bytes: Uint8Array): void {
		this.mcl._mclBnFr_setLittleEndianMod(to, this.place(bytes), SCALAR_BYTES);
	}

	/** What a loop over a point of the second group calculates ahead. */
	precompute(point: Pointer): Pointer {
		const to = this.allocate(8 * this.mcl._mclBn_getUint64NumToPrecompute());
		this.mcl._mclBn_precomputeG2(to, point);
		return to;
	}

	private place(bytes: Uint8Array): Pointer {
		// The memory is another one once it has grown.
		new Uint8Array(this.mcl.wasmMemory.buffer).set(bytes, this.bytes);
		return this.bytes;
	}
}
