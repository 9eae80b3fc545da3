import { expect, test } from "vitest";
import { readMembers } from "../../../src/node/history/pages.js";
import { RecentRows } from "../../../src/node/history/recent-rows.js";
import type { HistoryRow } from "../../../src/node/history/rows.js";
import { MemoryStore } from "./memory-store.js";

const member = (suffix: string): HistoryRow => ({
	kind: "holding",
	owner: "anna",
	suffix,
	value: new Uint8Array(),
});

test("the addresses of a set are those of store and memory in one order, from any of them on", async () => {
	const store = new MemoryStore();
	await store.write([..."bdfh"].map(member), [], { version: 1, ranges: [] });
	const recent = new RecentRows();
	recent.add(1, [..."gadc"].map(member), "");
	const members = async (limit: number, after?: string): Promise<string> =>
		(await readMembers({ store, storedTo: 0, recent }, "holding", "anna", limit, after)).join("");
	expect(await members(9)).toBe("abcdfgh");
	expect(await members(3)).toBe("abc");
	expect(await members(3, "c")).toBe("dfg");
	expect(await members(3, "g")).toBe("h");
	expect(await members(3, "h")).toBe("");
});
