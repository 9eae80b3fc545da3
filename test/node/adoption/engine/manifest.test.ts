import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ForeignFile } from "../../../../src/node/adoption/engine/foreign-file.js";
import { type DatabaseManifest, readManifest } from "../../../../src/node/adoption/engine/manifest.js";
import { counted, fields, logFile, varint } from "./made-files.js";
import { inDirectory } from "./recorded-stores.js";

function read(edits: readonly Uint8Array[]): Promise<DatabaseManifest> {
	return inDirectory("store", async (directory) => {
		const path = join(directory, "MANIFEST-000001");
		writeFileSync(path, logFile(edits));
		const file = new ForeignFile(path);
		try {
			return readManifest(file);
		} finally {
			file.close();
		}
	});
}

const key = (text: string) => counted(Buffer.concat([Buffer.from(text), Buffer.alloc(8, 1)]));
const bounds = [key("a"), key("b")];
const added = (level: number, number: number) => Buffer.concat([fields(7, level, number, 100), ...bounds]);
/** Level, number, size, bounds, sequence numbers, then fields of its own. */
const addedByRocks = (...own: readonly Uint8Array[]) =>
	Buffer.concat([fields(103, 6, 8, 100), ...bounds, fields(1, 2), ...own, varint(1)]);
const next = fields(3, 20);
const join2 = (...parts: readonly Uint8Array[]) => Buffer.concat(parts);

describe("a manifest", () => {
	it("is the sum of its edits", async () => {
		const manifest = await read([
			join2(
				fields(1),
				counted("leveldb.BytewiseComparator"),
				next,
				fields(2, 4, 4, 77, 9, 3),
				added(0, 5),
				added(0, 6),
			),
			join2(fields(5, 1), key("where the last compaction ended"), fields(6, 0, 5), added(1, 5), fields(2, 7)),
		]);
		expect(manifest).toMatchObject({
			comparator: "leveldb.BytewiseComparator",
			logNumber: 7,
			previousLogNumber: 3,
			lastSequence: 77,
			isRocks: false,
			tornAt: undefined,
		});
		expect(manifest.tables.map(({ level, number, size }) => [level, number, size])).toEqual([
			[0, 6, 100],
			[1, 5, 100],
		]);
	});

	it("may have what RocksDB writes", async () => {
		const manifest = await read([
			join2(next, fields(200, 0, 203, 0, 10, 5, 8193), counted("id of the database")),
			addedByRocks(fields(6), counted("time"), fields(65), counted(varint(0))),
			join2(fields(102, 5, 9, 0, 100), ...bounds, fields(1, 2)),
			join2(fields(100, 4, 10, 100), ...bounds, fields(1, 2)),
		]);
		expect(manifest.isRocks).toBe(true);
		expect(manifest.tables.map(({ number }) => number)).toEqual([8, 9, 10]);
	});

	it.each([
		["an unknown field", [join2(next, fields(300, 1))], "the edit at byte 0 has a field 300"],
		["another column family", [join2(next, fields(200, 1))], "a second column family"],
		["tables elsewhere", [join2(next, addedByRocks(fields(65), counted(varint(1))))], "a second path"],
		[
			"a field of a table that must be known",
			[join2(next, addedByRocks(fields(66), counted("?")))],
			"a field 66 of a table",
		],
		["a removal of what isn't there", [join2(next, fields(6, 2, 9))], "removes table 9 from level 2"],
		["a table twice", [join2(next, added(0, 5), added(0, 5))], "adds table 5 a second time"],
		["a table on two levels", [join2(next, added(0, 5), added(1, 5))], "has a table on two levels"],
		["a level that is none", [join2(next, added(64, 5))], "a table on level 64"],
		[
			"bounds that are none",
			[join2(next, fields(7, 0, 5, 100), counted("short"), counted("short"))],
			"that are not keys",
		],
		["half an edit", [join2(next, added(0, 5).subarray(0, 9))], "ends within a key or value"],
		["nothing", [], "its 0 bytes don't describe a store"],
	])("is refused with %s", async (_, edits, message) => {
		await expect(read(edits)).rejects.toThrow(message);
	});
});
