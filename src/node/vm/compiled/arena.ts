/**
 * The linear memory of compiled programs: a head shared between programs and their driver, then places, each
 * holding one frame's stack and small memory. It never grows, so that views of it stay valid; pages never
 * written take up no physical memory.
 */

import { ADDRESS_LENGTH } from "../../../protocol/address.js";
import { STACK_LIMIT } from "../instruction.js";
import { TWO_32, type Word } from "../word.js";
import { engine } from "./engine.js";

/** Maximum memory of a frame in its place; a frame that exceeds it moves out for good. */
export const PLACE_MEMORY = 65_536;

export const STACK_WORD = 32;
const STACK_BYTES = STACK_WORD * STACK_LIMIT;
/** Maximum input that a program reads from its place, followed by a word of zeros. Longer input is left to the driver. */
const MAX_INPUT = 1024;
const INPUT_BYTES = MAX_INPUT + 2 * STACK_WORD;

/** Offset from a frame's stack to its input. */
export const INPUT_OFFSET = STACK_BYTES;
/** Offsets of words that stay constant while the frame runs, in the stack's format. */
export const CALLER_OFFSET = INPUT_OFFSET + INPUT_BYTES;
export const ADDRESS_OFFSET = CALLER_OFFSET + STACK_WORD;
export const CALL_VALUE_OFFSET = ADDRESS_OFFSET + STACK_WORD;
const MEMORY_OFFSET = CALL_VALUE_OFFSET + STACK_WORD;
const PLACE_BYTES = MEMORY_OFFSET + PLACE_MEMORY;
const PLACES = 96;
const PAGE_BYTES = 65_536;

/** Bytes before the first place: the fields of {@link Head}, and scratch space for calculations. */
const HEAD_BYTES = PAGE_BYTES;

export const ARENA_PAGES = Math.ceil((HEAD_BYTES + PLACES * PLACE_BYTES) / PAGE_BYTES);

/** Byte offsets of the head's fields. */
export const Head = {
	/** Energy left in the program's current slice, 64 bits. */
	LEFT: 0,
	/** Dynamic energy's penalty of the frame, 64 bits. */
	PENALTY: 8,
	/** Number of offsets at which a whole word fits in the memory in use, and the memory's size. */
	ROOM: 16,
	SIZE: 44,
	/** Address of the frame's memory. */
	MEMORY: 20,
	/** Address of the frame's stack. */
	STACK: 24,
	/** Address past the top of the stack. */
	TOP: 28,
	/** Why the program returned: an `Exit`. */
	EXIT: 32,
	/** Program counter. */
	PC: 36,
	/** 1 if programs may compute hashes themselves. */
	HASHES: 40,
	/** Dynamic energy factor, in ten-thousandths, and fee of each memory access; 64 bits. */
	FACTOR: 48,
	FEE: 56,
	/** Size of the frame's input, of the part the program can read, and of the return data. */
	INPUT: 64,
	SEEN: 68,
	RETURNED: 72,
	/** Scratch space from here on: digits of long arithmetic, and hashing. */
	SCRATCH: 1024,
} as const;

/** Undefined if WebAssembly is disabled or the process can't reserve the address space; there are no places then. */
export const arenaMemory = reserve();

function reserve(): { readonly buffer: ArrayBuffer } | undefined {
	try {
		return engine && new engine.Memory({ initial: ARENA_PAGES, maximum: ARENA_PAGES });
	} catch (error) {
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

const buffer = arenaMemory?.buffer ?? new ArrayBuffer(0);
const bytes = new Uint8Array(buffer);
const halves = new Uint32Array(buffer);
const limbs = new BigUint64Array(buffer);

const free: number[] = [];
for (let i = arenaMemory ? PLACES - 1 : -1; i >= 0; i--) free.push(HEAD_BYTES + i * PLACE_BYTES);

/** Returns the places of garbage-collected owners, such as frames that were never released. */
const abandoned = new FinalizationRegistry<number>((place) => {
	memoryAt(place).fill(0);
	free.push(place);
});

/** Takes a place, with zeroed memory, for its owner's lifetime; undefined: all are taken. */
export function takePlace(owner: object): number | undefined {
	const place = free.pop();
	if (place !== undefined) abandoned.register(owner, place);
	return place;
}

/** A place's memory. */
export function memoryAt(place: number): Uint8Array {
	return bytes.subarray(place + MEMORY_OFFSET, place + PLACE_BYTES);
}

/** A place's memory as a view. */
export function memoryViewAt(place: number): DataView {
	return new DataView(buffer, place + MEMORY_OFFSET, PLACE_MEMORY);
}

/** Sets up the head for a frame's place, with a stack of the given height. */
export function usePlace(place: number, height: number): void {
	setHeadField(Head.STACK, place);
	setHeadField(Head.TOP, place + STACK_WORD * height);
	setHeadField(Head.MEMORY, place + MEMORY_OFFSET);
}

/** Copies a frame's input into its place. */
export function putInput(place: number, input: Uint8Array): void {
	if (input.length > MAX_INPUT) return;
	const at = place + INPUT_OFFSET;
	bytes.set(input, at);
	bytes.fill(0, at + input.length, at + input.length + STACK_WORD);
}

/** Writes an address as a word. @param hasPrefix whether to include the network's prefix */
export function putAddress(at: number, address: Uint8Array, hasPrefix: boolean): void {
	const last = address.length - 1;
	for (let i = 0; i < ADDRESS_LENGTH - 1; i++) bytes[at + i] = address[last - i] as number;
	bytes[at + ADDRESS_LENGTH - 1] = hasPrefix ? (address[0] as number) : 0;
}

/** The bytes of a stack word, big-endian. */
export function stackWordBytes(at: number): Uint8Array {
	const word = Buffer.allocUnsafe(STACK_WORD);
	for (let i = 0; i < STACK_WORD; i++) word[i] = bytes[at + STACK_WORD - 1 - i] as number;
	return word;
}

/** Sets the head's sizes of input and return data. */
export function setSizes(input: number, returned: number): void {
	setHeadField(Head.INPUT, input);
	setHeadField(Head.SEEN, input <= MAX_INPUT ? input : 0);
	setHeadField(Head.RETURNED, returned);
}

/** Reads a 32-bit field. */
export function headField(at: number): number {
	return halves[at >> 2] as number;
}

function setHeadField(at: number, value: number): void {
	halves[at >> 2] = value;
}

/** Reads a 64-bit field, which is never negative and below 2^53. */
export function longField(at: number): number {
	return (halves[(at >> 2) + 1] as number) * TWO_32 + (halves[at >> 2] as number);
}

export function setLongField(at: number, value: number): void {
	halves[at >> 2] = value;
	halves[(at >> 2) + 1] = value / TWO_32;
}

/** Sets the head's size of the memory in use. */
export function setMemory(size: number): void {
	setHeadField(Head.SIZE, size);
	setHeadField(Head.ROOM, size >= STACK_WORD ? size - STACK_WORD + 1 : 0);
}

/** Sets the energy rules, and whether the program may hash itself. */
export function setRules(factor: number, memoryFee: number, hashes: boolean): void {
	setLongField(Head.FACTOR, factor);
	setLongField(Head.FEE, memoryFee);
	setHeadField(Head.HASHES, hashes ? 1 : 0);
}

/** Writes 64-bit constants. */
export function putLongs(at: number, values: readonly bigint[]): void {
	limbs.set(values, at >> 3);
}

/** Cache of wide words read recently, since storage slots and addresses recur. PERF: creating one takes ten objects. */
const RECENT_WORDS = 256;
const recentHalves = new Uint32Array(8 * RECENT_WORDS);
const recentWords: bigint[] = new Array(RECENT_WORDS).fill(0n);

/** Reads a stack word: four 64-bit limbs, lowest first. */
export function readStackWord(at: number): Word {
	const first = at >> 2;
	const high = halves[first + 1] as number;
	const isShort =
		((halves[first + 2] as number) |
			(halves[first + 3] as number) |
			(halves[first + 4] as number) |
			(halves[first + 5] as number) |
			(halves[first + 6] as number) |
			(halves[first + 7] as number)) ===
		0;
	if (isShort && high < 0x200000) return high * TWO_32 + (halves[first] as number);
	const limb = at >> 3;
	if (isShort) return limbs[limb] as bigint;
	const slot = (halves[first] as number) & (RECENT_WORDS - 1);
	const kept = slot * 8;
	let differs = 0;
	for (let i = 0; i < 8; i++) differs |= (recentHalves[kept + i] as number) ^ (halves[first + i] as number);
	if (differs === 0) return recentWords[slot] as bigint;
	for (let i = 0; i < 8; i++) recentHalves[kept + i] = halves[first + i] as number;
	const word =
		((((((limbs[limb + 3] as bigint) << 64n) | (limbs[limb + 2] as bigint)) << 64n) |
			(limbs[limb + 1] as bigint)) <<
			64n) |
		(limbs[limb] as bigint);
	recentWords[slot] = word;
	return word;
}

/** Writes a stack word. */
export function writeStackWord(at: number, word: Word): void {
	if (typeof word === "number") {
		const first = at >> 2;
		halves[first] = word;
		halves[first + 1] = word / TWO_32;
		for (let i = 2; i < 8; i++) halves[first + i] = 0;
		return;
	}
	const limb = at >> 3;
	limbs[limb] = word;
	limbs[limb + 1] = word >> 64n;
	limbs[limb + 2] = word >> 128n;
	limbs[limb + 3] = word >> 192n;
}
