import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
	createMemoryDatabase,
	type KeyValueDatabase,
	openLevelDatabase,
} from "../../../src/node/state/database.js";
import { stores } from "../../../src/node/state/definition.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { AccountTrace } from "../../../src/protocol/messages.js";

const folder = mkdtempSync(join(tmpdir(), "first-key-"));
afterAll(() => rmSync(folder, { recursive: true }));

const store = stores.accountTrace;
const trace = AccountTrace.create({ balance: 1n });

describe.each<[string, () => Promise<KeyValueDatabase>]>([
	["memory", async () => createMemoryDatabase()],
	["LevelDB", () => openLevelDatabase(join(folder, "database"))],
])("the first key of a range, over %s", (_, open) => {
	it("is found wherever the entry is: on the disk, in the base, in the head", async () => {
		const database = await open();
		const state = await StateDatabase.open(database);
		const first = (from: string, end: string) => state.firstKey(store, from, end);
		const put = (key: string) => state.headBackend.put(store, key, trace);
		put("b1");
		put("b5");
		state.commitBlock(1n);
		state.settle(1n);
		await state.flush(false);
		put("b3");
		state.commitBlock(2n);
		state.settle(2n);
		put("b4");
		state.commitBlock(3n);
		put("b2");
		expect(
			await Promise.all([
				first("b0", "c"),
				first("b2", "c"),
				first("b3", "c"),
				first("b4", "c"),
				first("b41", "c"),
				first("b6", "c"),
				first("b6", "\xff"),
				first("a", "b"),
				first("b2", "b2"),
			]),
		).toEqual(["b1", "b2", "b3", "b4", "b5", undefined, undefined, undefined, undefined]);
		await database.close();
	});

	it("is not one that was undone", async () => {
		const state = await StateDatabase.open(createMemoryDatabase());
		state.headBackend.put(store, "a", trace);
		const mark = state.mark();
		state.headBackend.put(store, "9", trace);
		state.revert(mark);
		expect(await state.firstKey(store, "0", "z")).toBe("a");
	});
});
