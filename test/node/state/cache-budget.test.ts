import { expect, test } from "vitest";
import { CACHE_BYTES, MIN_CACHE_BYTES, shareCacheBytes } from "../../../src/node/state/cache-budget.js";

const TABLE_BYTES = 32 << 10;

test.each([MIN_CACHE_BYTES, CACHE_BYTES, 2 ** 31, 2 ** 40])("%d bytes are shared, none twice", (bytes) => {
	const { decodedBytes, historyBytes, databaseBytes, openTables, segmentBytes } = shareCacheBytes(bytes);
	const parts = [decodedBytes, historyBytes, databaseBytes, openTables, segmentBytes];
	for (const part of parts) expect(part).toBeGreaterThan(0);
	const all = decodedBytes + historyBytes + databaseBytes + openTables * TABLE_BYTES + segmentBytes;
	expect(all).toBeLessThanOrEqual(bytes);
	// The library counts both in 32 bits.
	expect(databaseBytes).toBeLessThanOrEqual(2 ** 30);
	expect(openTables).toBeLessThanOrEqual(4_096);
});

test("the usual budget leaves the database as many open tables as it ever had", () => {
	expect(shareCacheBytes()).toMatchObject({
		databaseBytes: 16 << 20,
		openTables: 512,
		segmentBytes: 8 << 20,
	});
});

test("the database gathers as much as its budget lets it before it writes a table", () => {
	const gathered = [0, MIN_CACHE_BYTES, 64 << 20, CACHE_BYTES, 2 ** 40].map(
		(bytes) => shareCacheBytes(bytes).writeBytes >> 20,
	);
	expect(gathered).toEqual([4, 4, 16, 32, 32]);
});
