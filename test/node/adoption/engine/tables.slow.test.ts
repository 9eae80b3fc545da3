import { describe, expect, it } from "vitest";
import { BlockIndex, blockProperties } from "../../../../src/node/adoption/engine/block.js";
import { openForeignStore } from "../../../../src/node/adoption/engine/foreign-store.js";
import { compress } from "../../../../src/protocol/snappy.js";
import {
	block,
	fields,
	internalKey,
	type MadeTable,
	type Row,
	type TableParts,
	table,
	tableStore,
	varint,
} from "./made-files.js";
import { inDirectory, outcome, type Read, writeFiles } from "./recorded-stores.js";

function readTables(tables: readonly MadeTable[], lastSequence?: number) {
	return inDirectory("account", async (directory) => {
		writeFiles(directory, tableStore(tables, lastSequence));
		return outcome(directory);
	});
}

/** A table of rows, each with its own bounds. */
function made(level: number, rows: readonly Row[], parts: Partial<TableParts> = {}): MadeTable {
	const bytes = table({ blocks: [block(rows)], ...parts });
	return {
		level,
		bytes,
		smallest: Buffer.from(rows[0]?.[0] as Uint8Array),
		largest: Buffer.from(rows[rows.length - 1]?.[0] as Uint8Array),
	};
}

const row = (key: string, sequence: number, value: string, type = 1): Row => [
	internalKey(key, sequence, type),
	value,
];
const texts = (read: unknown) =>
	Object.entries((read as Read).entries).map((pair) =>
		pair.map((hex) => Buffer.from(hex, "hex").toString()).join("="),
	);

describe("tables", () => {
	it("are walked as one: of each key the newest, on whatever level it is", async () => {
		const read = await readTables([
			made(2, [row("a", 1, "old"), row("b", 2, "kept"), row("c", 3, "old"), row("e", 0, "oldest")]),
			made(1, [row("a", 10, "new"), row("c", 11, "", 0)]),
			made(1, [row("d", 13, "newer"), row("d", 12, "older")]),
			made(0, [row("c", 30, "again"), row("f", 31, "", 7)]),
			made(0, [row("c", 20, "between"), row("f", 21, "gone")]),
		]);
		expect(texts(read)).toEqual(["a=new", "b=kept", "c=again", "d=newer", "e=oldest"]);
	});

	it("may have the same key at the end of one and the beginning of the next", async () => {
		const read = await readTables([made(6, [row("a", 5, "old")]), made(6, [row("a", 9, "new")])]);
		expect(texts(read)).toEqual(["a=new"]);
	});

	it("may be packed", async () => {
		const rows = [row("a", 1, "x".repeat(500)), row("b", 2, "y".repeat(500))];
		const read = await readTables([made(1, rows, { blocks: [compress(block(rows))], packing: 1 })]);
		expect(texts(read)).toEqual([`a=${"x".repeat(500)}`, `b=${"y".repeat(500)}`]);
	});

	it("may have RocksDB's own footer", async () => {
		const read = await readTables([
			made(1, [row("a", 1, "1")], { format: 2, properties: [["rocksdb.num.entries", varint(1)]] }),
		]);
		expect(texts(read)).toEqual(["a=1"]);
	});
});

const one = [row("a", 1, "1")];
const two = [row("a", 1, "1"), row("b", 2, "2")];
const properties = (...rows: readonly Row[]): Partial<TableParts> => ({ properties: rows });

describe("a table is refused", () => {
	it.each([
		["with a merge operand", made(1, [row("a", 1, "1", 2)]), "a merge operand"],
		["with a deletion of a range", made(1, [row("a", 1, "1", 15)]), "a deletion of a range"],
		[
			"with a key without its number",
			{ ...made(1, [["short", "1"]]), smallest: internalKey("a", 1), largest: internalKey("a", 1) },
			"a key that is too short",
		],
		[
			"whose keys aren't in order",
			made(1, [row("b", 1, "1"), row("a", 2, "2")]),
			"keys that aren't in order",
		],
		[
			"whose versions aren't in order",
			made(1, [row("a", 1, "1"), row("a", 2, "2")]),
			"keys that aren't in order",
		],
		[
			"with a number that was never given out",
			made(1, [row("a", 100, "1")]),
			"has sequence number 100, but the manifest ends with 99",
		],
		[
			"that begins with another key",
			{ ...made(1, two), smallest: internalKey("0", 1) },
			"doesn't begin with the key",
		],
		[
			"that ends with another key",
			{ ...made(1, two), largest: internalKey("c", 2) },
			"doesn't end with the key",
		],
		["packed in another way", made(1, one, { packing: 4 }), "is packed with LZ4"],
		["that can't be unpacked", made(1, one, { packing: 1 }), "block at byte 0"],
		[
			"that claims to unpack to much",
			made(1, one, { blocks: [Buffer.concat([varint(2 ** 31), Buffer.from("abc")])], packing: 1 }),
			"claims to unpack to 2147483648 bytes",
		],
		["with a hash index", made(1, one, { blocks: [Buffer.from([0, 0, 0, 0x80])] }), "has a hash index"],
		[
			"with more restart points than bytes",
			made(1, one, { blocks: [Buffer.from([9, 0, 0, 0])] }),
			"more restart points than bytes",
		],
		[
			"with a key that goes on from none",
			made(1, one, { blocks: [Buffer.from([5, 1, 1, 97, 98, 0, 0, 0, 0])] }),
			"shares more of a key than there is",
		],
		[
			"with half an entry",
			made(1, one, { blocks: [Buffer.from([0, 90, 1, 97, 98, 0, 0, 0, 0])] }),
			"ends within an entry",
		],
		[
			"of fewer entries than it says",
			made(1, one, properties(["rocksdb.num.entries", varint(2)])),
			"has 1 entries and says that it has 2",
		],
		[
			"in another order",
			made(1, one, properties(["rocksdb.comparator", "rocksdb.ReverseBytewiseComparator"])),
			"name the order rocksdb.ReverseBytewiseComparator",
		],
		[
			"with an index of two levels",
			made(1, one, properties(["rocksdb.block.based.table.index.type", Buffer.from([2, 0, 0, 0])])),
			"an index of type 2",
		],
		[
			"with merge operands by its properties",
			made(1, one, properties(["rocksdb.merge.operands", varint(1)])),
			"name merge operands",
		],
		[
			"with ranges in a block of their own",
			made(1, one, { others: ["rocksdb.range_del"] }),
			"name deletions of ranges",
		],
		[
			"that was made outside",
			made(1, one, properties(["rocksdb.external_sst_file.version", Buffer.from([2, 0, 0, 0])])),
			"was made outside",
		],
		[
			"with checksums that aren't known",
			made(1, one, { format: 2, checksum: 2 }),
			"names checksums of type 2",
		],
		["of a format that isn't known", made(1, one, { format: 7 }), "names a format 7"],
		["that isn't one", { ...made(1, one), bytes: Buffer.alloc(200, "no table") }, "doesn't end as a table"],
		["that is too short for one", { ...made(1, one), bytes: Buffer.alloc(20) }, "20 bytes are too few"],
	])("%s", async (_, each, message) => {
		const error = await readTables([each]);
		expect(String(error)).toMatch(/^ForeignStoreError: \S+account\/000005\.ldb: /);
		expect(String(error)).toContain(message);
	});

	it("with a block that is larger than what may be held in memory", async () => {
		await inDirectory("account", async (directory) => {
			writeFiles(directory, tableStore([made(1, [row("a", 1, "x".repeat(5_000))])]));
			const store = await openForeignStore(directory, { maxBlockBytes: 4_096 });
			expect(() => [...store.entries()]).toThrow(/000005\.ldb: .* has \d+ bytes, more than 4096/);
			store.close();
		});
	});

	it("together with another of its level that overlaps", async () => {
		const error = await readTables([
			made(1, [row("a", 1, "1"), row("c", 2, "2")]),
			made(1, [row("b", 3, "3")]),
		]);
		expect(String(error)).toContain("MANIFEST-000002: can't be used: it has overlapping tables on level 1");
	});
});

it("names no more blocks and properties than a table can have", () => {
	const names = Array.from({ length: 4097 }, (_, i): Row => [`name ${i}`, ""]);
	expect(() => blockProperties(block(names))).toThrow("has more than 4096 names");
	const index = Buffer.alloc(5 * (2 ** 22 + 1) + 4);
	for (let at = 0; at + 4 < index.length; at += 5) index[at + 2] = 2;
	const form = { isDelta: false, hasUserKeys: true, trailerBytes: 5 };
	expect(() => BlockIndex.read(index, form)).toThrow("names more than 4194304 blocks");
});

it("reads an index whose entries are differences", () => {
	// Shared and unshared bytes of the key, the key, the value: offset and size, then twice the difference of the size.
	const entries = [
		Buffer.concat([fields(0, 2), Buffer.from("pa"), fields(0, 100)]),
		Buffer.concat([fields(1, 1), Buffer.from("c"), fields(2 * 20)]),
		Buffer.concat([fields(1, 1), Buffer.from("e"), fields(2 * 50 - 1)]),
	];
	const form = { isDelta: true, hasUserKeys: true, trailerBytes: 5 };
	const index = BlockIndex.read(Buffer.concat([...entries, Buffer.alloc(4)]), form);
	expect([0, 1, 2, 3].map((at) => index.handle(at))).toEqual([
		{ offset: 0, size: 100 },
		{ offset: 105, size: 120 },
		{ offset: 230, size: 70 },
		undefined,
	]);
	expect(["a", "pa", "pb", "pc", "pd", "pe", "pf"].map((key) => index.firstFrom(Buffer.from(key)))).toEqual([
		0, 0, 1, 1, 2, 2, 3,
	]);
});

it("leaves out what stands behind the keys of an index, and refuses keys that have nothing in front of it", () => {
	const form = { isDelta: false, hasUserKeys: false, trailerBytes: 5 };
	const place = fields(0, 100);
	const index = BlockIndex.read(block([[internalKey("m", 9), place]]), form);
	expect(["l", "m", "n"].map((key) => index.firstFrom(Buffer.from(key)))).toEqual([0, 0, 1]);
	expect(() => BlockIndex.read(block([["short", place]]), form)).toThrow("has a key that is too short");
});
