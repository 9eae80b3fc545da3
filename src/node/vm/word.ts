/**
 * 256-bit words of the contract machine.
 *
 * A word is a number while it is at most 2^53 - 1 and a bigint above: every value has exactly one form. Most values in
 * contracts are small, and arithmetic on numbers is several times faster.
 */

import { MAX_INT64 } from "../../protocol/int64.js";

export type Word = number | bigint;

export const MAX_SMALL = Number.MAX_SAFE_INTEGER;
const MAX_SMALL_BIG = BigInt(Number.MAX_SAFE_INTEGER);
const WORD_BITS = 256;
export const TWO_32 = 2 ** 32;
export const MAX_INT32 = 0x7fffffff;

/** The word of a bigint from 0 to 2^256 - 1. */
export function narrow(value: bigint): Word {
	return value <= MAX_SMALL_BIG ? Number(value) : value;
}

/** The word of any bigint, modulo 2^256. */
export function toWord(value: bigint): Word {
	return narrow(BigInt.asUintN(WORD_BITS, value));
}

/** The word of a 64-bit integer: its low 64 bits, a negative one not extended, as the network makes it. */
export function longWord(value: bigint): Word {
	return narrow(BigInt.asUintN(64, value));
}

/** A word as a two's-complement integer. */
export function toSigned(word: Word): bigint {
	return typeof word === "number" ? BigInt(word) : BigInt.asIntN(WORD_BITS, word);
}

/** The low 32 bits, two's complement. */
export function low32(word: Word): number {
	return typeof word === "number" ? word | 0 : Number(BigInt.asIntN(32, word));
}

/** The low 64 bits, two's complement. */
export function low64(word: Word): bigint {
	return typeof word === "number" ? BigInt(word) : BigInt.asIntN(64, word);
}

/** The value if it is below 2^31, else 2^31 - 1. */
export function sat32(word: Word): number {
	return typeof word === "number" && word < MAX_INT32 ? word : MAX_INT32;
}

/** The value if it is below 2^63, else 2^63 - 1. */
export function sat64(word: Word): bigint {
	if (typeof word === "number") return BigInt(word);
	return word < MAX_INT64 ? word : MAX_INT64;
}

/** Whether the word, read as a signed integer, fits 64 bits. */
export function fitsInt64(word: Word): boolean {
	if (typeof word === "number") return true;
	const value = BigInt.asIntN(WORD_BITS, word);
	return BigInt.asIntN(64, value) === value;
}

/** Bytes without leading zeros; 0 for 0. */
export function byteLength(word: Word): number {
	if (typeof word === "number") {
		let length = 0;
		for (let rest = word; rest >= 1; rest /= 256) length++;
		return length;
	}
	return (word.toString(16).length + 1) >> 1;
}

/** Reads 32 big-endian bytes. */
export function readWord(view: DataView, offset: number): Word {
	const high =
		view.getUint32(offset) |
		view.getUint32(offset + 4) |
		view.getUint32(offset + 8) |
		view.getUint32(offset + 12) |
		view.getUint32(offset + 16) |
		view.getUint32(offset + 20);
	if (high === 0) {
		const upper = view.getUint32(offset + 24);
		if (upper < 0x200000) return upper * TWO_32 + view.getUint32(offset + 28);
		return view.getBigUint64(offset + 24);
	}
	return (
		(((((view.getBigUint64(offset) << 64n) | view.getBigUint64(offset + 8)) << 64n) |
			view.getBigUint64(offset + 16)) <<
			64n) |
		view.getBigUint64(offset + 24)
	);
}

/** Writes 32 big-endian bytes. */
export function writeWord(view: DataView, offset: number, word: Word): void {
	if (typeof word === "number") {
		view.setFloat64(offset, 0);
		view.setFloat64(offset + 8, 0);
	} else {
		view.setBigUint64(offset + 8, word >> 128n);
		view.setBigUint64(offset, word >> 192n);
	}
	writeLowHalf(view, offset + 16, word);
}

/** Writes the last 16 of a word's bytes. */
export function writeLowHalf(view: DataView, offset: number, word: Word): void {
	if (typeof word === "number") {
		view.setFloat64(offset, 0);
		view.setUint32(offset + 8, word / TWO_32);
		view.setUint32(offset + 12, word);
		return;
	}
	view.setBigUint64(offset + 8, word);
	view.setBigUint64(offset, word >> 64n);
}

const scratch = new Uint8Array(32);
const scratchView = new DataView(scratch.buffer);

/** Reads up to 32 big-endian bytes; shorter input counts as left-padded with zeros. */
export function wordFromBytes(bytes: Uint8Array): Word {
	if (bytes.length < 32) scratch.fill(0, 0, 32 - bytes.length);
	scratch.set(bytes, 32 - bytes.length);
	return readWord(scratchView, 0);
}

/** 32 bytes. */
export function wordToBytes(word: Word): Uint8Array {
	writeWord(scratchView, 0, word);
	const bytes = Buffer.allocUnsafe(32);
	bytes.set(scratch);
	return bytes;
}

/** 64 lower-case hexadecimal digits. */
export function wordToHex(word: Word): string {
	return word.toString(16).padStart(64, "0");
}
