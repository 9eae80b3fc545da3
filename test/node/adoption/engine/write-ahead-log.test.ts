import { describe, expect, it } from "vitest";
import { batch, counted, del, put, youngStore } from "./made-files.js";
import { inDirectory, outcome, type Read, writeFiles } from "./recorded-stores.js";

/** What reading a store comes to that has these batches in its log. */
function readBatches(batches: readonly Uint8Array[]) {
	return inDirectory("account", async (directory) => {
		writeFiles(directory, youngStore(batches));
		return outcome(directory);
	});
}

const texts = (read: unknown) =>
	Object.entries((read as Read).entries).map((row) =>
		row.map((hex) => Buffer.from(hex, "hex").toString()).join("="),
	);

const operation = (number: number, ...parts: readonly Uint8Array[]) =>
	Buffer.concat([Buffer.from([number]), ...parts]);

describe("the log of a store", () => {
	it("says the newest of each key, also within one batch", async () => {
		const read = await readBatches([
			batch(1, [put("b", "1"), put("a", "2"), put("b", "3")]),
			batch(4, [del("a"), put("c", ""), put("d", "4")]),
			batch(7, [operation(7, counted("d")), put("a", "5")]),
		]);
		expect(texts(read)).toEqual(["a=5", "b=3", "c="]);
	});

	it("may name the one column family that there is, and hold what isn't data", async () => {
		const zero = Buffer.from([0]);
		const read = await readBatches([
			batch(
				1,
				[
					operation(5, zero, counted("a"), counted("1")),
					operation(3, counted("a remark")),
					operation(13),
					put("b", "2"),
					operation(4, zero, counted("b")),
				],
				3,
			),
		]);
		expect(texts(read)).toEqual(["a=1"]);
	});

	it("may be empty", async () => {
		expect(texts(await readBatches([]))).toEqual([]);
		expect(texts(await readBatches([batch(1, [])]))).toEqual([]);
	});

	it.each([
		[
			"a deletion of a range",
			[batch(1, [operation(15, counted("a"), counted("b"))])],
			"a deletion of a range",
		],
		["a merge operand", [batch(1, [operation(2, counted("a"), counted("b"))])], "a merge operand"],
		["an unknown operation", [batch(1, [operation(99, counted("a"))])], "of type 99"],
		[
			"another column family",
			[batch(1, [operation(4, Buffer.from([1]), counted("a"))])],
			"a second column family",
		],
		["fewer operations than it says", [batch(1, [put("a", "1")], 2)], "has 1 operations and not 2"],
		["half a key", [batch(1, [Buffer.from([0, 9, 97])])], "ends within a key or value"],
		["a length without an end", [batch(1, [Buffer.alloc(20, 0xff).fill(0, 0, 1)])], "too large"],
		["no head", [Buffer.from("short")], "ends within a key or value"],
		["a gap before", [batch(9, [put("a", "1")])], "begins with sequence number 9 and not 1"],
		[
			"a gap within",
			[batch(1, [put("a", "1")]), batch(3, [put("b", "2")])],
			"begins with sequence number 3 and not 2",
		],
	])("is refused with %s", async (_, batches, message) => {
		const error = await readBatches(batches);
		expect(String(error)).toContain("account/000003.log: can't be used: the batch at byte ");
		expect(String(error)).toContain(message);
	});
});
