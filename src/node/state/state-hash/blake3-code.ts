/**
 * BLAKE3 (github.com/BLAKE3-team/BLAKE3-specs, §2) in WebAssembly with 128-bit SIMD: the compression function
 * for four counters at once, since output blocks of any length differ in their counter only.
 */

import {
	ADD_32,
	BRANCH_IF,
	type CompiledWasm,
	compileWasm,
	END,
	get,
	I32,
	i32,
	LESS_32,
	LOOP,
	runWasm,
	set,
	tee,
	unsigned,
	V128,
	type WasmFunction,
	wasmModule,
} from "../../../protocol/wasm-code.js";

/** This machine's engine lacks the SIMD support that the state hash needs. */
class NoVectorsError extends Error {
	override readonly name = "NoVectorsError";
}

interface Exports {
	readonly memory: { readonly buffer: ArrayBuffer };
	/** Compresses a block with the chaining value, and replaces the latter by the result. */
	readonly chain: (block: number, counter: number, length: number, flags: number) => void;
	/** Adds 2,048 bytes of output to 1,024 lanes of 16 bits, lane by lane. */
	readonly add: (block: number, length: number, flags: number, sum: number) => void;
	/** Subtracts them. */
	readonly subtract: (block: number, length: number, flags: number, sum: number) => void;
}

/** Sizes in bytes of a chaining value, a block, a chunk, and the output that is added. */
export const CHAIN_BYTES = 32;
export const BLOCK_BYTES = 64;
export const CHUNK_BYTES = 1024;
export const SUM_BYTES = 2048;

/** Flags of a compression. */
export const CHUNK_START = 1;
export const CHUNK_END = 2;
export const PARENT = 4;
export const ROOT = 8;

export const CHAIN_START = [
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const;
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const ROUNDS = 7;
/** Words mixed with each other: columns, then diagonals. */
const MIXINGS = [
	[0, 4, 8, 12],
	[1, 5, 9, 13],
	[2, 6, 10, 14],
	[3, 7, 11, 15],
	[0, 5, 10, 15],
	[1, 6, 11, 12],
	[2, 7, 8, 13],
	[3, 4, 9, 14],
] as const;

/** Memory layout: chaining value, words of four outputs side by side, input, then the sums. */
export const CHAIN = 0;
const WORDS = 256;
export const INPUT = 1024;
export const SUMS = 4096;

const simd = (operation: number): number[] => [0xfd, ...unsigned(operation)];
const load = (offset: number): number[] => [...simd(0x00), 4, ...unsigned(offset)];
const splatAt = (offset: number): number[] => [...simd(0x09), 2, ...unsigned(offset)];
const store = (offset: number): number[] => [...simd(0x0b), 4, ...unsigned(offset)];
const words = (values: readonly number[]): number[] => [
	...simd(0x0c),
	...new Uint8Array(Uint32Array.from(values).buffer),
];
const shuffle = (lanes: readonly number[]): number[] => [...simd(0x0d), ...lanes];
const [SWIZZLE, SPLAT, OR, XOR] = [simd(0x0e), simd(0x11), simd(0x50), simd(0x51)];
const [SHIFT_LEFT, SHIFT_RIGHT, ADD] = [simd(0xab), simd(0xad), simd(0xae)];
const [ADD_16, SUBTRACT_16] = [simd(0x8e), simd(0x91)];
const loadWord = (offset: number): number[] => [0x28, 2, ...unsigned(offset)];
const storeWord = (offset: number): number[] => [0x36, 2, ...unsigned(offset)];
const CALL_OUTPUTS = [0x10, 0];
const repeated = (value: number): number[] => words([value, value, value, value]);

/**
 * Rotates each word right by whole bytes.
 *
 * PERF: by a constant, which stays in a register or memory; shuffle lanes would take several instructions to load each time.
 */
const turnBytes = (bytes: number): number[] => [
	...[...simd(0x0c), ...Array.from({ length: 16 }, (_, i) => (i & ~3) | ((i + bytes) & 3))],
	...SWIZZLE,
];

/** Parameters: address of the block, first counter, bytes of the block, flags. Writes the 16 words of four outputs. */
function outputsCode(): number[] {
	const [BLOCK, COUNTER, LENGTH, FLAGS] = [0, 1, 2, 3];
	const v = (i: number): number => 4 + i;
	const spare = 20;
	const xor = (a: number, b: number): number[] => [...get(v(a)), ...get(v(b)), ...XOR];
	const turn = (a: number, b: number, bits: number): number[] => {
		if (bits % 8 === 0) return [...xor(a, b), ...turnBytes(bits / 8), ...set(v(a))];
		return [
			...[...xor(a, b), ...tee(spare), ...i32(bits), ...SHIFT_RIGHT],
			...[...get(spare), ...i32(32 - bits), ...SHIFT_LEFT, ...OR, ...set(v(a))],
		];
	};
	const addTo = (a: number, b: number, more: readonly number[] = []): number[] => [
		...[...get(v(a)), ...get(v(b)), ...ADD],
		...[...more, ...set(v(a))],
	];
	let order = Array.from({ length: 16 }, (_, i) => i);
	const rounds: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const message = (at: number): number[] => [...get(BLOCK), ...splatAt(4 * (order[at] as number)), ...ADD];
		for (const [i, [a, b, c, d]] of MIXINGS.entries()) {
			rounds.push(...addTo(a, b, message(2 * i)), ...turn(d, a, 16), ...addTo(c, d), ...turn(b, c, 12));
			rounds.push(...addTo(a, b, message(2 * i + 1)), ...turn(d, a, 8), ...addTo(c, d), ...turn(b, c, 7));
		}
		order = PERMUTATION.map((from) => order[from] as number);
	}
	const chained = (i: number): number[] => [...i32(CHAIN), ...splatAt(4 * i)];
	const counters = [...get(COUNTER), ...SPLAT, ...words([0, 1, 2, 3]), ...ADD];
	const last = [counters, repeated(0), [...get(LENGTH), ...SPLAT], [...get(FLAGS), ...SPLAT]];
	const eight = Array.from({ length: 8 }, (_, i) => i);
	return [
		...eight.flatMap((i) => [...chained(i), ...set(v(i))]),
		...CHAIN_START.slice(0, 4).flatMap((word, i) => [...repeated(word), ...set(v(8 + i))]),
		...last.flatMap((code, i) => [...code, ...set(v(12 + i))]),
		...rounds,
		...eight.flatMap((i) => [...i32(WORDS), ...xor(i, i + 8), ...store(16 * i)]),
		...eight.flatMap((i) => [...i32(WORDS), ...get(v(i + 8)), ...chained(i), ...XOR, ...store(16 * (i + 8))]),
	];
}

/** Stores the first of the four outputs as the chaining value. */
const chainCode = (): number[] => [
	...[...get(0), ...get(1), ...get(2), ...get(3), ...CALL_OUTPUTS],
	...Array.from({ length: 8 }, (_, i) => [
		...[...i32(CHAIN), ...i32(WORDS), ...loadWord(16 * i), ...storeWord(4 * i)],
	]).flat(),
];

/** Parameters: address of the block, its bytes, flags, address of the sum. */
function sumCode(combine: readonly number[]): number[] {
	const [BLOCK, LENGTH, FLAGS, SUM, COUNTER] = [0, 1, 2, 3, 4];
	const word = (i: number): number => 5 + i;
	const pair = (i: number): number => 9 + i;
	const [low, high] = [
		[0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23],
		[8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31],
	].map(shuffle) as [number[], number[]];
	const [firsts, seconds] = [
		[0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23],
		[8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31],
	].map(shuffle) as [number[], number[]];
	const interleave = (a: number, b: number, how: readonly number[]): number[] => [
		...[...get(word(a)), ...get(word(b)), ...how],
	];
	/** Transposes four words of each output from word order to output order. */
	const quarter = (q: number): number[] => {
		const output = (at: number, a: number, b: number, half: readonly number[]): number[] => {
			const offset = BLOCK_BYTES * at + 16 * q;
			const joined = [...get(pair(a)), ...get(pair(b)), ...half];
			return [...get(SUM), ...get(SUM), ...load(offset), ...joined, ...combine, ...store(offset)];
		};
		return [
			...[0, 1, 2, 3].flatMap((i) => [...i32(WORDS), ...load(16 * (4 * q + i)), ...set(word(i))]),
			...[...interleave(0, 1, low), ...set(pair(0)), ...interleave(2, 3, low), ...set(pair(1))],
			...[...interleave(0, 1, high), ...set(pair(2)), ...interleave(2, 3, high), ...set(pair(3))],
			...[...output(0, 0, 1, firsts), ...output(1, 0, 1, seconds)],
			...[...output(2, 2, 3, firsts), ...output(3, 2, 3, seconds)],
		];
	};
	return [
		...LOOP,
		...[...get(BLOCK), ...get(COUNTER), ...get(LENGTH), ...get(FLAGS), ...CALL_OUTPUTS],
		...[0, 1, 2, 3].flatMap(quarter),
		...[...get(SUM), ...i32(4 * BLOCK_BYTES), ...ADD_32, ...set(SUM)],
		...[...get(COUNTER), ...i32(4), ...ADD_32, ...tee(COUNTER)],
		...[...i32(SUM_BYTES / BLOCK_BYTES), ...LESS_32, ...BRANCH_IF, ...END],
	];
}

const PAGE = 65_536;

/**
 * By number of memory pages; a program uses two or three different ones.
 *
 * PERF: generating and compiling the code takes tens of milliseconds, and every state hash needs it.
 */
const compiled = new Map<number, CompiledWasm>();

/** @param sums how many sums the memory has room for @throws {NoVectorsError} */
export function startBlake3(sums: number): Exports {
	const pages = Math.ceil((SUMS + sums * SUM_BYTES) / PAGE);
	const module = compiled.get(pages) ?? compileWasm(blake3Module(pages));
	if (!module)
		throw new NoVectorsError("the hash of the state needs WebAssembly, which is switched off here");
	compiled.set(pages, module);
	return runWasm<Exports>(module);
}

function blake3Module(pages: number): Uint8Array {
	const parameters = [I32, I32, I32, I32];
	const summing = (name: string, combine: readonly number[]): WasmFunction => ({
		name,
		parameters,
		locals: [
			[1, I32],
			[8, V128],
		],
		code: sumCode(combine),
	});
	return wasmModule({
		pages,
		functions: [
			{ name: "outputs", parameters, locals: [[17, V128]], code: outputsCode() },
			{ name: "chain", parameters, locals: [], code: chainCode() },
			summing("add", ADD_16),
			summing("subtract", SUBTRACT_16),
		],
		data: [],
	});
}
