/**
 * 256-bit words of the contract machine.
 *
 * A word is a number up to 2^53 - 1 and a bigint above, so each value has exactly one representation. Most
 * values in contracts are small, and arithmetic on numbers is several times faster.
 */

import { MAX_INT64 } from "../../protocol/int64.js";

export type Word = number | bigint;

export const MAX_SMALL = Number.MAX_SAFE_INTEGER;
const MAX_SMALL_BIG = BigInt(Number.MAX_SAFE_INTEGER);
const WORD_BITS = 256;
export const TWO_32 = 2 ** 32;
export const MAX_INT32 = 0x7fffffff;

/** Converts a bigint from 0 to 2^256 - 1. */
export function narrow(value: bigint): Word {
	return value <= MAX_SMALL_BIG ? Number(value) : value;
}

/** Converts any bigint, modulo 2^256. */
export function toWord(value: bigint): Word {
	return narrow(BigInt.asUintN(WORD_BITS, value));
}

/** Converts a 64-bit integer by its low 64 bits; like the network, doesn't sign-extend negative ones. */
export function longWord(value: bigint): Word {
	return narrow(BigInt.asUintN(64, value));
}

/** Interprets a word as a two's-complement integer. */
export function toSigned(word: Word): bigint {
	return typeof word === "number" ? BigInt(word) : BigInt.asIntN(WORD_BITS, word);
}

/** The low 32 bits, as two's complement. */
export function low32(word: Word): number {
	return typeof word === "number" ? word | 0 : Number(BigInt.asIntN(32, word));
}

/** The low 64 bits, as two's complement. */
export function low64(word: Word): bigint {
	return typeof word === "number" ? BigInt(word) : BigInt.asIntN(64, word);
}

/** Saturates at 2^31 - 1. */
export function sat32(word: Word): number {
	return typeof word === "number" && word < MAX_INT32 ? word : MAX_INT32;
}

/** Saturates at 2^63 - 1. */
export function sat64(word: Word): bigint {
	if (typeof word === "number") return BigInt(word);
	return word < MAX_INT64 ? word : MAX_INT64;
}

/** Whether a word, read as a signed integer, fits in 64 bits. */
export function fitsInt64(word: Word): boolean {
	if (typeof word === "number") return true;
	const value = BigInt.asIntN(WORD_BITS, word);
	return BigInt.asIntN(64, value) === value;
}

/** Length in bytes without leading zeros; 0 for 0. */
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

/** Writes the low 16 bytes of a word, big-endian. */
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

/** Reads up to 32 big-endian bytes; shorter input is left-padded with zeros. */
export function wordFromBytes(bytes: Uint8Array): Word {
	if (bytes.length < 32) scratch.fill(0, 0, 32 - bytes.length);
	scratch.set(bytes, 32 - bytes.length);
	return readWord(scratchView, 0);
}

/** Converts to 32 big-endian bytes. */
export function wordToBytes(word: Word): Uint8Array {
	writeWord(scratchView, 0, word);
	const bytes = Buffer.allocUnsafe(32);
	bytes.set(scratch);
	return bytes;
}

/** Converts to 64 lower-case hexadecimal digits. */
export function wordToHex(word: Word): string {
	return word.toString(16).padStart(64, "0");
}
