/**
 * The linear memory of compiled programs: a head with what they and their driver tell each other, and places, each with the
 * stack and the small memory of a frame. It never grows, so that views of it stay valid; what nobody has written takes
 * up nothing of the machine.
 */

import { ADDRESS_LENGTH } from "../../../protocol/address.js";
import { STACK_LIMIT } from "../instruction.js";
import { TWO_32, type Word } from "../word.js";
import { engine } from "./engine.js";

/** What a frame's memory may have and still lie in its place; a larger one leaves it for good. */
export const PLACE_MEMORY = 65_536;

export const STACK_WORD = 32;
const STACK_BYTES = STACK_WORD * STACK_LIMIT;
/** Input of a frame that its program reads by itself; behind it are zeros for a word. A longer one it doesn't see. */
const MAX_INPUT = 1024;
const INPUT_BYTES = MAX_INPUT + 2 * STACK_WORD;

/** From the address of a frame's stack to that of its input. */
export const INPUT_OFFSET = STACK_BYTES;
/** From there to words that stay as they are as long as the frame runs, each as on the stack. */
export const CALLER_OFFSET = INPUT_OFFSET + INPUT_BYTES;
export const ADDRESS_OFFSET = CALLER_OFFSET + STACK_WORD;
export const CALL_VALUE_OFFSET = ADDRESS_OFFSET + STACK_WORD;
const MEMORY_OFFSET = CALL_VALUE_OFFSET + STACK_WORD;
const PLACE_BYTES = MEMORY_OFFSET + PLACE_MEMORY;
const PLACES = 96;
const PAGE_BYTES = 65_536;

/** Bytes before the first place: the fields of {@link Head}, and what calculations work in. */
const HEAD_BYTES = PAGE_BYTES;

export const ARENA_PAGES = Math.ceil((HEAD_BYTES + PLACES * PLACE_BYTES) / PAGE_BYTES);

/** Where the fields of the head lie, in bytes. */
export const Head = {
	/** Energy for the program's present slice, 64 bits. */
	LEFT: 0,
	/** Dynamic energy's penalty of the frame, 64 bits. */
	PENALTY: 8,
	/** Offsets at which a whole word of memory in use begins, and how much is in use. */
	ROOM: 16,
	SIZE: 44,
	/** Address of the frame's memory. */
	MEMORY: 20,
	/** Address of the frame's stack. */
	STACK: 24,
	/** Address behind the top of the stack. */
	TOP: 28,
	/** Why the program returned: an `Exit`. */
	EXIT: 32,
	/** Where it stands. */
	PC: 36,
	/** 1 where a program may hash by itself. */
	HASHES: 40,
	/** Dynamic energy's factor, in ten-thousandths, and the fee of each access to memory; 64 bits. */
	FACTOR: 48,
	FEE: 56,
	/** Sizes of the frame's input, of what of it the program sees, and of what was returned to it. */
	INPUT: 64,
	SEEN: 68,
	RETURNED: 72,
	/** From here on: digits of long arithmetic, and what hashing needs. */
	SCRATCH: 1024,
} as const;

/** Undefined where WebAssembly is switched off, or the process may not reserve so much: there are no places then. */
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

/** Gives places back whose owners nobody holds any more, as of frames that were never released. */
const abandoned = new FinalizationRegistry<number>((place) => {
	memoryAt(place).fill(0);
	free.push(place);
});

/** A place for as long as its owner lives, its memory zero; undefined: all are taken. */
export function takePlace(owner: object): number | undefined {
	const place = free.pop();
	if (place !== undefined) abandoned.register(owner, place);
	return place;
}

/** The memory of a place. */
export function memoryAt(place: number): Uint8Array {
	return bytes.subarray(place + MEMORY_OFFSET, place + PLACE_BYTES);
}

/** The same, as a view. */
export function memoryViewAt(place: number): DataView {
	return new DataView(buffer, place + MEMORY_OFFSET, PLACE_MEMORY);
}

/** Points a program to the place of its frame, with a stack of some height. */
export function usePlace(place: number, height: number): void {
	setHeadField(Head.STACK, place);
	setHeadField(Head.TOP, place + STACK_WORD * height);
	setHeadField(Head.MEMORY, place + MEMORY_OFFSET);
}

/** Puts a frame's input into its place. */
export function putInput(place: number, input: Uint8Array): void {
	if (input.length > MAX_INPUT) return;
	const at = place + INPUT_OFFSET;
	bytes.set(input, at);
	bytes.fill(0, at + input.length, at + input.length + STACK_WORD);
}

/** Writes the word of an address. @param hasPrefix whether the network's prefix is in it */
export function putAddress(at: number, address: Uint8Array, hasPrefix: boolean): void {
	const last = address.length - 1;
	for (let i = 0; i < ADDRESS_LENGTH - 1; i++) bytes[at + i] = address[last - i] as number;
	bytes[at + ADDRESS_LENGTH - 1] = hasPrefix ? (address[0] as number) : 0;
}

/** The bytes of a word of a stack, the highest one first. */
export function stackWordBytes(at: number): Uint8Array {
	const word = Buffer.allocUnsafe(STACK_WORD);
	for (let i = 0; i < STACK_WORD; i++) word[i] = bytes[at + STACK_WORD - 1 - i] as number;
	return word;
}

/** Tells the program how much it was given and returned. */
export function setSizes(input: number, returned: number): void {
	setHeadField(Head.INPUT, input);
	setHeadField(Head.SEEN, input <= MAX_INPUT ? input : 0);
	setHeadField(Head.RETURNED, returned);
}

/** A field of 32 bits. */
export function headField(at: number): number {
	return halves[at >> 2] as number;
}

function setHeadField(at: number, value: number): void {
	halves[at >> 2] = value;
}

/** A field of 64 bits, never negative and below 2^53. */
export function longField(at: number): number {
	return (halves[(at >> 2) + 1] as number) * TWO_32 + (halves[at >> 2] as number);
}

export function setLongField(at: number, value: number): void {
	halves[at >> 2] = value;
	halves[(at >> 2) + 1] = value / TWO_32;
}

/** Tells the program how much memory is in use. */
export function setMemory(size: number): void {
	setHeadField(Head.SIZE, size);
	setHeadField(Head.ROOM, size >= STACK_WORD ? size - STACK_WORD + 1 : 0);
}

/** Tells the program by what it charges, and whether it hashes by itself. */
export function setRules(factor: number, memoryFee: number, hashes: boolean): void {
	setLongField(Head.FACTOR, factor);
	setLongField(Head.FEE, memoryFee);
	setHeadField(Head.HASHES, hashes ? 1 : 0);
}

/** Writes constants of 64 bits. */
export function putLongs(at: number, values: readonly bigint[]): void {
	limbs.set(values, at >> 3);
}

/** Wide words that were read lately: the same places of storage and addresses come again and again. PERF: one takes ten objects. */
const RECENT_WORDS = 256;
const recentHalves = new Uint32Array(8 * RECENT_WORDS);
const recentWords: bigint[] = new Array(RECENT_WORDS).fill(0n);

/** Reads a word of a stack: four limbs of 64 bits, the lowest first. */
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

/** Writes a word of a stack. */
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
