import { describe, expect, it } from "vitest";
import { BlockCursor, BlockIndex } from "../../../../src/node/adoption/engine/block.js";
import { ForeignStoreError } from "../../../../src/node/adoption/engine/foreign-file.js";
import { openForeignStore } from "../../../../src/node/adoption/engine/foreign-store.js";
import { OpenMemory } from "../../../../src/node/adoption/engine/limits.js";
import {
	batch,
	block,
	counted,
	fields,
	internalKey,
	logFile,
	type MadeTable,
	put,
	type Row,
	table,
	tableStore,
	varint,
	youngStore,
} from "./made-files.js";
import { inDirectory, outcome, writeFiles } from "./recorded-stores.js";

/** A table on level 0 of one row. */
function tableOf([key, value]: Row): MadeTable {
	const bytes = table({ blocks: [block([[key, value]])] });
	return { level: 0, bytes, smallest: Buffer.from(key), largest: Buffer.from(key) };
}

const refusal = (files: readonly (readonly [string, Uint8Array])[], name = "account") =>
	inDirectory(name, async (directory) => {
		writeFiles(directory, files);
		return String(await outcome(directory));
	});

describe("the keys of a store", () => {
	it("have 4096 bytes at most in a block", () => {
		const cursor = new BlockCursor();
		cursor.open(block([["k".repeat(4096), "v"]]));
		expect(cursor.next()).toBe(true);
		cursor.open(block([["k".repeat(4097), "v"]]));
		expect(() => cursor.next()).toThrow("has a key of 4097 bytes, more than 4096");
	});

	it("have 4096 bytes at most in an index", () => {
		const form = { isDelta: false, hasUserKeys: true, trailerBytes: 5 };
		const index = (length: number) =>
			BlockIndex.read(block([["k".repeat(length), Buffer.concat([varint(0), varint(9)])]]), form);
		expect(index(4096).length).toBe(1);
		expect(() => index(4097)).toThrow("has a key of 4097 bytes, more than 4096");
	});

	it("have 4096 bytes at most in a log, and as bounds of a table", async () => {
		const log = youngStore([batch(1, [put("k".repeat(4097), "v")])]);
		expect(await refusal(log)).toMatch(/the batch at byte 0 has a key of 4097 bytes, more than 4096$/);
		const bounds = tableStore([tableOf([internalKey("k".repeat(4089), 1), "v"])]);
		expect(await refusal(bounds)).toMatch(/the edit at byte \d+ has a key of 4097 bytes, more than 4096$/);
	});
});

describe("a store in the order of prices", () => {
	it("is refused where a key that is no price meets another only while they are merged", async () => {
		const made = tableOf([internalKey("short", 1), "v"]);
		const bounds = [counted(made.smallest), counted(made.largest)];
		// RocksDB's first manifest names no order.
		const edit = Buffer.concat([fields(2, 4, 3, 50, 4, 99, 7, 0, 5, made.bytes.length), ...bounds]);
		const files: [string, Uint8Array][] = [
			["CURRENT", Buffer.from("MANIFEST-000001\n")],
			["MANIFEST-000001", logFile([edit])],
			["000004.log", logFile([batch(100, [put("\0".repeat(54), "v")])])],
			["000005.ldb", made.bytes],
		];
		expect(await refusal(files, "market_pair_price_to_order")).toMatch(
			/market_pair_price_to_order: can't be used: it has a key of 5 bytes among prices$/,
		);
	});
});

describe("the memory of open stores", () => {
	const opened = (directory: string, memory: OpenMemory) => openForeignStore(directory, { memory });

	it("is shared by their logs, and given back when they are closed", () =>
		inDirectory("account", async (directory) => {
			const files = youngStore([batch(1, [put("a", "v".repeat(100))])]);
			writeFiles(directory, files);
			const bytes = files.find(([name]) => name.endsWith(".log"))?.[1].length as number;
			const memory = new OpenMemory(bytes + 10);
			for (let i = 0; i < 3; i++) {
				const store = await opened(directory, memory);
				await expect(opened(directory, memory)).rejects.toThrow(
					`${directory}: can't be used: it asks for memory beyond the ${bytes + 10} bytes that open stores may hold together`,
				);
				store.close();
			}
		}));

	it("is shared by their blocks and indexes, and given back at the end of a walk", () =>
		inDirectory("account", async (directory) => {
			writeFiles(directory, tableStore([tableOf([internalKey("a", 1), "v".repeat(1000)])]));
			const memory = new OpenMemory(1500);
			const store = await opened(directory, memory);
			for (let i = 0; i < 3; i++) {
				const walk = store.entries()[Symbol.iterator]();
				expect(walk.next().done).toBe(false);
				expect(() => [...store.entries()]).toThrow(ForeignStoreError);
				expect(() => [...store.entries()]).toThrow("asks for memory beyond the 1500 bytes");
				walk.return?.();
				expect([...store.entries()]).toHaveLength(1);
				expect(store.estimate()).toBe(1);
			}
			store.close();
		}));
});
