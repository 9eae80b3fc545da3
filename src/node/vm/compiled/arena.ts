/**
 * The linear memory of compiled programs: a head with what they and their driver tell each other, and places, each with the
 * stack and the small memory of a frame. It never grows, so that views of it stay valid; what nobody has written takes
 * up nothing of the machine.
 */

import { STACK_LIMIT } from "../instruction.js";
import { TWO_32, type Word } from "../word.js";
import { engine } from "./engine.js";

/** What a frame's memory may have and still lie in its place; a larger one leaves it for good. */
export const PLACE_MEMORY = 65_536;

export const STACK_WORD = 32;
const STACK_BYTES = STACK_WORD * STACK_LIMIT;
const PLACE_BYTES = STACK_BYTES + PLACE_MEMORY;
const PLACES = 96;
const PAGE_BYTES = 65_536;

/** Bytes before the first place: the fields of {@link Head}, and what long arithmetic works in. */
const HEAD_BYTES = PAGE_BYTES;

export const ARENA_PAGES = (HEAD_BYTES + PLACES * PLACE_BYTES) / PAGE_BYTES;

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
	/** From here on: digits of long arithmetic. */
	SCRATCH: 1024,
} as const;

/** Undefined where WebAssembly is switched off: there are no places then. */
export const arenaMemory = engine && new engine.Memory({ initial: ARENA_PAGES, maximum: ARENA_PAGES });
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
	return bytes.subarray(place + STACK_BYTES, place + PLACE_BYTES);
}

/** The same, as a view. */
export function memoryViewAt(place: number): DataView {
	return new DataView(buffer, place + STACK_BYTES, PLACE_MEMORY);
}

/** Points a program to the place of its frame, with a stack of some height. */
export function usePlace(place: number, height: number): void {
	setHeadField(Head.STACK, place);
	setHeadField(Head.TOP, place + STACK_WORD * height);
	setHeadField(Head.MEMORY, place + STACK_BYTES);
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
	return (
		((((((limbs[limb + 3] as bigint) << 64n) | (limbs[limb + 2] as bigint)) << 64n) |
			(limbs[limb + 1] as bigint)) <<
			64n) |
		(limbs[limb] as bigint)
	);
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
