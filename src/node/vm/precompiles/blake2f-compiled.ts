/**
 * The compression function of BLAKE2b (RFC 7693 §3.2) in WebAssembly, which has words of 64 bits: eight times as fast as
 * script. The module is written here, instruction by instruction, from the same tables as the script.
 */

import type { Compression } from "./blake2f.js";
import { IV, MIXINGS, SIGMA } from "./blake2f-portable.js";

/** What is used of WebAssembly, which the types of Node.js don't have. */
interface Engine {
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (module: object) => { readonly exports: Exports };
}

interface Exports {
	readonly memory: { readonly buffer: ArrayBuffer };
	readonly begin: (final: number) => void;
	readonly mix: (rounds: number) => void;
	readonly end: () => void;
}

/** Memory: state, message and counter as they stand in the operands, the order of the words, the work vector. */
const STATE = 0;
const MESSAGE = 64;
const COUNTER = 192;
const ORDER = 208;
const VECTOR = 384;
const CONSTANTS = 512;

/** Bytes of a row of the order: the address of each word of the message. */
const ROW = 16;

const VOID = 0x40;
const I32 = 0x7f;
const I64 = 0x7e;
const FUNCTION = 0x60;

const unsigned = (value: number): number[] =>
	value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
const signed = (value: number): number[] =>
	value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
const list = (items: readonly number[][]): number[] => [...unsigned(items.length), ...items.flat()];
const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes];
const section = (id: number, body: readonly number[]): number[] => [id, ...sized(body)];
const named = (name: string): number[] => sized([...Buffer.from(name)]);

const get = (local: number): number[] => [0x20, ...unsigned(local)];
const set = (local: number): number[] => [0x21, ...unsigned(local)];
const tee = (local: number): number[] => [0x22, ...unsigned(local)];
const i32 = (value: number): number[] => [0x41, ...signed(value)];
const i64 = (value: number): number[] => [0x42, ...signed(value)];
const WORD_ALIGNED = 3;
const load = (offset: number): number[] => [0x29, WORD_ALIGNED, ...unsigned(offset)];
const store = (offset: number): number[] => [0x37, WORD_ALIGNED, ...unsigned(offset)];
const loadByte = (offset: number): number[] => [0x2d, 0, ...unsigned(offset)];
const [ADD, XOR, ROTATE] = [[0x7c], [0x85], [0x8a]] as const;
const [ADD_32, SUBTRACT_32, EQUAL_32] = [[0x6a], [0x6b], [0x46]] as const;
const [LOOP, IF, BRANCH_IF, END] = [[0x03, VOID], [0x04, VOID], [0x0d, 0], [0x0b]] as const;

const WORDS = Array.from({ length: 16 }, (_, i) => i);
const loadAt = (address: number): number[] => [...i32(0), ...load(address)];

/** Parameter 0: whether this is the last block. */
const beginCode = (): number[] => {
	const counted = (i: number): number[] =>
		i === 12 || i === 13 ? [...loadAt(COUNTER + 8 * (i - 12)), ...XOR] : [];
	const words = WORDS.map((i) => [
		...i32(0),
		...(i < 8 ? loadAt(STATE + 8 * i) : loadAt(CONSTANTS + 8 * (i - 8))),
		...counted(i),
		...store(VECTOR + 8 * i),
	]);
	const inverted = [...i32(0), ...loadAt(VECTOR + 8 * 14), ...i64(-1), ...XOR, ...store(VECTOR + 8 * 14)];
	return [...words.flat(), ...get(0), ...IF, ...inverted, ...END];
};

/** Parameter 0: the rounds. Local 1: the row of the order; from local 2 on: the work vector. */
const mixCode = (): number[] => {
	const v = (i: number): number => 2 + i;
	const addWord = (index: number): number[] => [...get(1), ...loadByte(ORDER + index), ...load(0), ...ADD];
	const xorRotate = (a: number, b: number, bits: number): number[] => [
		...[...get(v(a)), ...get(v(b)), ...XOR],
		...[...i64(bits), ...ROTATE, ...set(v(a))],
	];
	const addTo = (a: number, b: number, more: number[] = []): number[] => [
		...[...get(v(a)), ...get(v(b)), ...ADD],
		...[...more, ...set(v(a))],
	];
	const mixing = MIXINGS.map(([a, b, c, d], i) => [
		...[...addTo(a, b, addWord(2 * i)), ...xorRotate(d, a, 32)],
		...[...addTo(c, d), ...xorRotate(b, c, 24)],
		...[...addTo(a, b, addWord(2 * i + 1)), ...xorRotate(d, a, 16)],
		...[...addTo(c, d), ...xorRotate(b, c, 63)],
	]);
	const nextRow = [
		...[...get(1), ...i32(ROW), ...ADD_32, ...tee(1)],
		...[...i32(ROW * SIGMA.length), ...EQUAL_32, ...IF, ...i32(0), ...set(1), ...END],
	];
	const again = [...get(0), ...i32(1), ...SUBTRACT_32, ...tee(0), ...BRANCH_IF];
	return [
		...WORDS.flatMap((i) => [...loadAt(VECTOR + 8 * i), ...set(v(i))]),
		...[...LOOP, ...mixing.flat(), ...nextRow, ...again, ...END],
		...WORDS.flatMap((i) => [...i32(0), ...get(v(i)), ...store(VECTOR + 8 * i)]),
	];
};

const endCode = (): number[] =>
	WORDS.slice(0, 8).flatMap((i) => [
		...[...i32(0), ...loadAt(STATE + 8 * i), ...loadAt(VECTOR + 8 * i), ...XOR],
		...[...loadAt(VECTOR + 8 * (i + 8)), ...XOR, ...store(STATE + 8 * i)],
	]);

/** A function's body. @param locals number and type of each kind */
const body = (locals: readonly number[][], code: readonly number[]): number[] =>
	sized([...list(locals), ...code, ...END]);

const data = (address: number, bytes: readonly number[]): number[] => [
	0,
	...i32(address),
	...END,
	...sized(bytes),
];

/** The module's bytes (WebAssembly Core Specification 1.0 §5). */
function blake2fModule(): Uint8Array {
	const order = SIGMA.flat().map((word) => MESSAGE + 8 * word);
	const constants = [...new Uint8Array(Uint32Array.from(IV).buffer)];
	return Uint8Array.from([
		...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
		...section(
			1,
			list([
				[FUNCTION, ...list([[I32]]), ...list([])],
				[FUNCTION, ...list([]), ...list([])],
			]),
		),
		...section(3, list([[0], [0], [1]])),
		...section(5, list([[0, 1]])),
		...section(
			7,
			list([
				[...named("memory"), 2, 0],
				[...named("begin"), 0, 0],
				[...named("mix"), 0, 1],
				[...named("end"), 0, 2],
			]),
		),
		...section(
			10,
			list([
				body([], beginCode()),
				body(
					[
						[1, I32],
						[16, I64],
					],
					mixCode(),
				),
				body([], endCode()),
			]),
		),
		...section(11, list([data(ORDER, order), data(CONSTANTS, constants)])),
	]);
}

/** @returns undefined where WebAssembly can't run */
export function compiledCompression(): Compression | undefined {
	const { WebAssembly } = globalThis as { readonly WebAssembly?: Engine };
	if (!WebAssembly) return undefined;
	const { memory, begin, mix, end } = new WebAssembly.Instance(new WebAssembly.Module(blake2fModule()))
		.exports;
	const bytes = new Uint8Array(memory.buffer);
	return {
		begin(operands, final) {
			bytes.set(operands, STATE);
			begin(final ? 1 : 0);
		},
		mix,
		end() {
			end();
			return bytes.slice(STATE, MESSAGE);
		},
	};
}
