import { describe, expect, it } from "vitest";
import {
	byteLength,
	fitsInt64,
	low32,
	low64,
	readWord,
	sat32,
	sat64,
	toWord,
	wordFromBytes,
	wordToBytes,
} from "../../../src/node/vm/word.js";

const MAX = (1n << 256n) - 1n;

describe("words", () => {
	it.each([
		[0n],
		[1n],
		[0xffff_ffffn],
		[(1n << 53n) - 1n],
		[1n << 53n],
		[(1n << 64n) - 1n],
		[1n << 64n],
		[MAX],
	])("survive a trip through 32 bytes: %s", (value) => {
		const word = toWord(value);
		const bytes = wordToBytes(word);
		expect(Buffer.from(bytes).toString("hex")).toBe(value.toString(16).padStart(64, "0"));
		expect(wordFromBytes(bytes)).toBe(word);
		expect(readWord(new DataView(bytes.buffer, bytes.byteOffset, 32), 0)).toBe(word);
	});

	it("are numbers up to 2^53 - 1 and bigints above, never the other form", () => {
		expect(toWord((1n << 53n) - 1n)).toBe(Number.MAX_SAFE_INTEGER);
		expect(toWord(1n << 53n)).toBe(1n << 53n);
		expect(toWord(1n << 256n)).toBe(0);
	});

	it.each([
		[0x7fff_ffffn, 0x7fff_ffff, 0x7fff_ffff],
		[0x8000_0000n, -0x8000_0000, 0x7fff_ffff],
		[0xffff_ffffn, -1, 0x7fff_ffff],
		[1n << 40n, 0, 0x7fff_ffff],
		[MAX, -1, 0x7fff_ffff],
	])("give their low 32 bits or saturate: %s", (value, low, saturated) => {
		expect(low32(toWord(value))).toBe(low);
		expect(sat32(toWord(value))).toBe(saturated);
	});

	it("give their low 64 bits or saturate", () => {
		expect(low64(toWord(1n << 63n))).toBe(-(1n << 63n));
		expect(sat64(toWord(1n << 63n))).toBe((1n << 63n) - 1n);
		expect(sat64(toWord(5n))).toBe(5n);
	});

	it("fit 64 bits as signed integers: -2^63 does, 2^63 doesn't", () => {
		expect(fitsInt64(toWord(-(1n << 63n)))).toBe(true);
		expect(fitsInt64(toWord(1n << 63n))).toBe(false);
		expect(fitsInt64(toWord((1n << 63n) - 1n))).toBe(true);
	});

	it("count their bytes without leading zeros", () => {
		expect([0n, 1n, 255n, 256n, 1n << 60n, MAX].map((value) => byteLength(toWord(value)))).toEqual([
			0, 1, 1, 2, 8, 32,
		]);
	});

	it("read shorter bytes as if zeros stood before them", () => {
		expect(wordFromBytes(Uint8Array.of(1, 2))).toBe(258);
		expect(wordFromBytes(new Uint8Array(0))).toBe(0);
	});
});
