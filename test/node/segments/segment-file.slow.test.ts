import { beforeAll, describe, expect, test } from "vitest";
import { SegmentFile } from "../../../src/node/segments/segment-file.js";
import { SegmentDamage } from "../../../src/node/segments/segment-format.js";
import { type SegmentNote, SegmentWriter } from "../../../src/node/segments/segment-writer.js";
import { Machine } from "./machine.js";
import { rowAt } from "./rows.js";

const machine = new Machine();
let note: SegmentNote;
let whole: Buffer;

/** Blocks 5 to 18 in groups of 5, 1 and 8. */
const GROUPS = [[5, 6, 7, 8, 9], [10], [11, 12, 13, 14, 15, 16, 17, 18]];

beforeAll(async () => {
	const writer = new SegmentWriter(await machine.files.create("a"), 5n);
	for (const group of GROUPS) await writer.add(group.map(rowAt));
	note = await writer.finish();
	whole = machine.names.get("a")?.bytes as Buffer;
});

function opened(bytes: Buffer, noted: SegmentNote | undefined = note): SegmentFile {
	machine.names.set("b", { bytes, synced: bytes });
	return SegmentFile.open(machine.files.openForReading("b"), noted);
}

test("a segment gives back the blocks, ids and receipts that it was made of", () => {
	const segment = opened(whole);
	expect(segment.first).toBe(5n);
	for (let number = 5; number <= 18; number++) {
		const { id, block, receipts } = rowAt(number);
		const group = segment.groupOf(BigInt(number));
		const place = segment.placeIn(group, BigInt(number));
		expect(GROUPS[group]?.[place]).toBe(number);
		expect(segment.id(BigInt(number))).toEqual(id);
		expect(segment.rows(group, "blocks")[place]).toEqual(block);
		expect(segment.rows(group, "receipts")[place]).toEqual(receipts);
	}
	expect([...segment.check()].flatMap(({ ids }) => ids)).toEqual(GROUPS.flat().map((n) => rowAt(n).id));
});

describe("damage", () => {
	const isRefused = (bytes: Buffer, noted?: SegmentNote): boolean => {
		try {
			for (const _ of opened(bytes, noted).check());
			return false;
		} catch (error) {
			expect(error).toBeInstanceOf(SegmentDamage);
			return true;
		}
	};

	test("of any byte is noticed", () => {
		const missed: number[] = [];
		for (let at = 0; at < whole.length; at++) {
			const bytes = Buffer.from(whole);
			bytes[at] = (bytes[at] as number) ^ 0x41;
			if (!isRefused(bytes)) missed.push(at);
		}
		expect(missed).toEqual([]);
		expect(isRefused(whole)).toBe(false);
	});

	test("a file that is cut or longer is refused, with and without a note", () => {
		for (let length = 0; length < whole.length; length++) {
			expect(isRefused(whole.subarray(0, length))).toBe(true);
			expect(isRefused(whole.subarray(0, length), undefined)).toBe(true);
		}
		expect(isRefused(Buffer.concat([whole, Buffer.alloc(1)]))).toBe(true);
	});

	test("another whole segment under the same name is refused", () => {
		expect(() => opened(whole, { ...note, crc: note.crc ^ 1 })).toThrow("its footer is another one");
		expect(() => opened(whole, { ...note, bytes: note.bytes + 1 })).toThrow("bytes instead of");
	});
});
