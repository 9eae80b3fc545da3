import { expect, it } from "vitest";
import { SegmentedDatabase } from "../../../src/node/segments/segmented-database.js";
import type { Segments } from "../../../src/node/segments/segments.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";

const none = { list: [], compareRest: async () => {}, close: () => {} } as unknown as Segments;

it("reads several entries at once where the database does", async () => {
	const database = createMemoryDatabase();
	const key = Uint8Array.of(1, 2);
	await database.write([{ key, value: Uint8Array.of(3) }], false);
	expect(new SegmentedDatabase(database, none).getMany).toBeUndefined();
	const fast = { ...database, getMany: async (keys: readonly Uint8Array[]) => keys.map(database.get) };
	const values = await new SegmentedDatabase(fast, none).getMany?.([key, Uint8Array.of(1)]);
	expect(values?.map((value) => value && Array.from(value))).toEqual([[3], undefined]);
});
