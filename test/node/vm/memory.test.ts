import { describe, expect, test } from "vitest";
import { Memory } from "../../../src/node/vm/memory.js";

const LARGE = 3_000_000;
const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

/** A large memory that another frame wrote to in the given places. */
function usedBefore(...offsets: number[]): void {
	const memory = Memory.take();
	memory.expand(LARGE);
	for (const offset of offsets) memory.store(offset, bytes(5000, 0xee));
	memory.release();
}

describe("memory", () => {
	test.each([
		["a small one", 2000, 512],
		["a large one", LARGE, 2_900_000],
		["the seam of pages", LARGE, 8190],
	])("is zero when it is taken again: %s", (_name, size, offset) => {
		const first = Memory.take();
		first.expand(size);
		first.store(offset, bytes(32, 0xff));
		first.storeByte(size - 1, 7);
		first.release();
		const second = Memory.take();
		expect(second.size).toBe(0);
		second.expand(size);
		expect(Buffer.from(second.peek(0, size)).equals(Buffer.alloc(size))).toBe(true);
		second.release();
	});

	test("keeps its bytes when it outgrows the small form", () => {
		const memory = Memory.take();
		memory.store(100, bytes(60_000, 3));
		memory.expand(60_160);
		memory.storeWord(60_128, 9n);
		memory.expand(LARGE);
		expect([memory.peek(99, 3), memory.loadWord(60_128)]).toEqual([Uint8Array.of(0, 3, 3), 9]);
		memory.release();
		usedBefore();
		const other = Memory.take();
		other.expand(LARGE);
		expect(other.loadWord(128)).toBe(0);
		other.release();
	});

	test("has words far beyond the ordinary end, across pages, and zeros beside them, also when its pages were another's", () => {
		const far = 5_000_000;
		const first = Memory.take();
		first.store(far - 1_000, bytes(2_000, 0xee));
		first.release();
		const memory = Memory.take();
		const seam = far - (far % 256);
		memory.store(seam - 16, bytes(32, 1));
		const words = [seam - 48, seam - 16, seam + 16].map((offset) => memory.loadFarWord(offset));
		expect(words).toEqual([0, BigInt(`0x${"01".repeat(32)}`), 0]);
		memory.release();
	});

	test("is not given to others while its bytes are lent", () => {
		const memory = Memory.take();
		memory.store(0, bytes(100_000, 1));
		const lent = memory.final(0, 100_000);
		memory.release();
		usedBefore(0, 50_000);
		expect(lent.every((byte) => byte === 1)).toBe(true);
		memory.takeBack();
		const other = Memory.take();
		other.expand(LARGE);
		expect(other.loadWord(0)).toBe(0);
		other.release();
	});

	test("takes over lent bytes: what was written, and zeros over what its own pages held", () => {
		const source = Memory.take();
		source.expand(LARGE);
		source.store(1_000_000, bytes(10, 5));
		const lent = source.final(32, 2_000_000);
		const target = Memory.take();
		target.expand(LARGE);
		target.store(0, bytes(LARGE, 8));
		target.storeWithin(64, lent, source);
		const expected = bytes(LARGE, 8).fill(0, 64, 2_000_064).fill(5, 1_000_032, 1_000_042);
		expect(Buffer.from(target.peek(0, LARGE)).equals(Buffer.from(expected))).toBe(true);
		source.takeBack();
		target.release();
		const next = Memory.take();
		next.expand(LARGE);
		expect(Buffer.from(next.peek(0, LARGE)).equals(Buffer.alloc(LARGE))).toBe(true);
		next.release();
	});

	test("writes no more than fits, and moves and pads within a large one", () => {
		usedBefore(0, 100_000, 2_000_000);
		const memory = Memory.take();
		memory.expand(200_000);
		memory.storeWithin(199_990, bytes(100, 1));
		memory.move(150_000, 199_990, 10);
		memory.storePadded(150_005, Uint8Array.of(9), 0, 3);
		expect([...memory.peek(149_999, 12)]).toEqual([0, 1, 1, 1, 1, 1, 9, 0, 0, 1, 1, 0]);
		expect(memory.size).toBe(200_000);
		memory.release();
	});
});
