/**
 * Keccak-256 (the Keccak submission of 2011, padding 0x01) of a frame's memory; the result is a stack word.
 * Caches hashes of 64 bytes: they are slots of mapping values, which code computes both to read and to write.
 */

import { I32, I64, V128 } from "../../../protocol/wasm-code.js";
import { Head, putLongs } from "./arena.js";
import { HASH } from "./imports.js";
import { type Expression, Routine } from "./routine.js";
import { type FunctionCode, Op, REVERSED, Simd } from "./wasm-writer.js";

const ROUNDS = 24;
/** Bytes absorbed per permutation. */
const RATE = 136;

/** Addresses of the round constants and the last block. */
const [CONSTANTS, BLOCK] = [Head.SCRATCH + 512, Head.SCRATCH + 1024];

/** Hash cache: entries of 64 input bytes and their hash, indexed by a hash of the input. */
const KEPT = 8192;
const KEPT_INPUT = 64;
const KEPT_BYTES = KEPT_INPUT + 32;
const KEPT_BITS = 9;
/** 2^64 divided by the golden ratio. */
const SPREAD = 0x9e37_79b9_7f4a_7c15n;

/** Locals: parameters, counters, lanes of the state and the next state, and columns. */
const L = {
	FROM: 0,
	SIZE: 1,
	OUT: 2,
	SOURCE: 3,
	ROUND: 4,
	A: 5,
	B: 30,
	C: 55,
	D: 60,
	VECTOR: 65,
	KEPT: 66,
} as const;

/** Rotation of each lane, by position. */
function turns(): number[] {
	const list: number[] = new Array(25).fill(0);
	let [x, y] = [1, 0];
	for (let t = 0; t < ROUNDS; t++) {
		list[x + 5 * y] = (((t + 1) * (t + 2)) / 2) % 64;
		[x, y] = [y, (2 * x + 3 * y) % 5];
	}
	return list;
}

/** Writes the round constants, from their LFSR, to where the function reads them. */
export function putRoundConstants(): void {
	let register = 1;
	const constants: bigint[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		let constant = 0n;
		for (let bit = 0; bit < 7; bit++) {
			if (register & 1) constant |= 1n << BigInt(2 ** bit - 1);
			register = ((register << 1) ^ ((register >> 7) * 0x71)) & 0xff;
		}
		constants.push(constant);
	}
	putLongs(CONSTANTS, constants);
}

/** One round on the state in the locals. */
function round(r: Routine, turned: readonly number[]): void {
	const { get, op, long } = r;
	const five = [0, 1, 2, 3, 4];
	for (const x of five) {
		r.set(L.C + x, r.all(Op.I64_XOR, ...(five.map((y) => get(L.A + x + 5 * y)) as [Expression])));
	}
	for (const x of five) {
		const next = op(Op.I64_ROTL, get(L.C + ((x + 1) % 5)), long(1n));
		r.set(L.D + x, op(Op.I64_XOR, get(L.C + ((x + 4) % 5)), next));
	}
	for (const y of five) {
		for (const x of five) {
			const lane = op(Op.I64_XOR, get(L.A + x + 5 * y), get(L.D + x));
			const by = BigInt(turned[x + 5 * y] as number);
			r.set(L.B + y + 5 * ((2 * x + 3 * y) % 5), op(Op.I64_ROTL, lane, long(by)));
		}
	}
	for (const y of five) {
		for (const x of five) {
			const at = (column: number): Expression => get(L.B + (column % 5) + 5 * y);
			const others = op(Op.I64_AND, op(Op.I64_XOR, at(x + 1), long(-1n)), at(x + 2));
			r.set(L.A + x + 5 * y, op(Op.I64_XOR, at(x), others));
		}
	}
	const constant = (): void => {
		get(L.ROUND)();
		r.body.access(Op.I64_LOAD, CONSTANTS);
	};
	r.set(L.A, op(Op.I64_XOR, get(L.A), constant));
}

/** Copies a hash, 32 bytes. */
function copyHash(r: Routine, to: number, toOffset: number, from: number, fromOffset: number): void {
	for (const half of [0, 16]) {
		r.body
			.get(to)
			.get(from)
			.simdAccess(Simd.LOAD, fromOffset + half);
		r.body.simdAccess(Simd.STORE, toOffset + half);
	}
}

/** Returns a cached hash; otherwise stores the input in the cache entry. */
function lookUp(r: Routine): void {
	const { int, long, op, all } = r;
	const limb = (local: number, at: number) => (): void => {
		r.body.get(local).access(Op.I64_LOAD, at);
	};
	const turned = (at: number, by: bigint): Expression => op(Op.I64_ROTL, limb(L.FROM, at), long(by));
	const mixed = all(Op.I64_XOR, limb(L.FROM, 16), turned(24, 17n), turned(48, 31n), turned(56, 47n));
	const number = op(Op.I64_SHR_U, op(Op.I64_MUL, mixed, long(SPREAD)), long(BigInt(64 - KEPT_BITS)));
	const place = op(Op.I32_MUL, op(Op.I32_WRAP_I64, number), int(KEPT_BYTES));
	r.set(L.KEPT, op(Op.I32_ADD, place, int(KEPT)));
	const limbs = [0, 8, 16, 24, 32, 40, 48, 56].map((at) =>
		op(Op.I64_XOR, limb(L.FROM, at), limb(L.KEPT, at)),
	) as [Expression];
	// No hash ends in 64 zero bits, so zero means an empty entry.
	const isThere = op(Op.I64_NE, limb(L.KEPT, KEPT_INPUT), long(0n));
	r.when(op(Op.I32_AND, op(Op.I64_EQZ, all(Op.I64_OR, ...limbs)), isThere), () => {
		copyHash(r, L.OUT, 0, L.KEPT, KEPT_INPUT);
		r.give();
	});
	r.body.get(L.KEPT).get(L.FROM).i32(KEPT_INPUT).copy();
}

/** Takes the address and size of the input, and the address for the result. */
export function keccakFunction(): FunctionCode {
	const r = new Routine();
	const { get, int, op } = r;
	const turned = turns();
	r.when(op(Op.I32_EQ, get(L.SIZE), int(KEPT_INPUT)), () => lookUp(r));
	const isLast = op(Op.I32_LT_S, get(L.SIZE), int(0));
	r.repeat(isLast, () => {
		r.set(L.SOURCE, get(L.FROM));
		r.when(op(Op.I32_LT_S, get(L.SIZE), int(RATE)), () => {
			for (const value of [BLOCK, 0, RATE]) r.body.i32(value);
			r.body.fill();
			r.body.i32(BLOCK).get(L.FROM).get(L.SIZE).copy();
			const end = op(Op.I32_ADD, get(L.SIZE), int(BLOCK));
			r.storeByte(end, int(1));
			r.storeByte(int(BLOCK + RATE - 1), op(Op.I32_OR, r.byte(int(BLOCK + RATE - 1)), int(0x80)));
			r.set(L.SOURCE, int(BLOCK));
		});
		for (let lane = 0; lane < RATE / 8; lane++) {
			const more = (): void => {
				r.body.get(L.SOURCE).access(Op.I64_LOAD, 8 * lane);
			};
			r.set(L.A + lane, op(Op.I64_XOR, get(L.A + lane), more));
		}
		r.set(L.ROUND, int(0));
		r.repeat(op(Op.I32_GE_S, get(L.ROUND), int(8 * ROUNDS)), () => {
			round(r, turned);
			r.set(L.ROUND, op(Op.I32_ADD, get(L.ROUND), int(8)));
		});
		r.set(L.FROM, op(Op.I32_ADD, get(L.FROM), int(RATE)));
		r.set(L.SIZE, op(Op.I32_SUB, get(L.SIZE), int(RATE)));
	});
	// The hash's first byte is the word's most significant one.
	for (const half of [0, 1]) {
		r.body.get(L.OUT);
		const [low, high] = [L.A + 2 - 2 * half, L.A + 3 - 2 * half];
		r.body.get(low).simd(Simd.SPLAT_I64).get(high).simd(Simd.REPLACE_I64, 1);
		r.body
			.set(L.VECTOR)
			.get(L.VECTOR)
			.get(L.VECTOR)
			.simd(Simd.SHUFFLE, ...REVERSED);
		r.body.simdAccess(Simd.STORE, 16 * half);
	}
	r.when(get(L.KEPT), () => copyHash(r, L.KEPT, KEPT_INPUT, L.OUT, 0));
	return r.function(
		HASH,
		[
			[2, I32],
			[60, I64],
			[1, V128],
			[1, I32],
		],
		"KECCAK",
	);
}
