import { describe, expect, it } from "vitest";
import { stores } from "../../../src/node/state/definition.js";
import { ValueCache } from "../../../src/node/state/value-cache.js";

const { index, name } = stores.account;
const GENERATION = 2_000;
/** Of an entry whose encoding has ten bytes: it is a message. */
const COST = 200 + 12 * 10;
const budget = { decodedBytes: 2 * GENERATION * COST, historyBytes: 4 << 20 };

describe("the cache of the database's values", () => {
	it("knows what was kept, also that there is nothing, and counts what it didn't know", () => {
		const cache = new ValueCache<number | null>();
		expect(cache.get(index, "a")).toBeUndefined();
		cache.keep(index, "a", 1, 10);
		cache.keep(index, "b", null, 10);
		expect(cache.get(index, "a")).toBe(1);
		expect(cache.get(index, "b")).toBeNull();
		expect(cache.use).toEqual([{ store: name, reads: 3, misses: 1, entries: 2, turns: 0 }]);
	});

	it("forgets what was not asked for through two generations, and nothing else", () => {
		const cache = new ValueCache<number>(new Set(), budget);
		cache.keep(index, "asked", 1, 10);
		cache.keep(index, "left", 2, 10);
		for (let i = 0; i < 2 * GENERATION; i++) {
			if (i % 100 === 0) cache.get(index, "asked");
			cache.keep(index, `filler ${i}`, i, 10);
		}
		expect(cache.get(index, "asked")).toBe(1);
		expect(cache.get(index, "left")).toBeUndefined();
	});

	it("keeps few values where they are large", () => {
		const cache = new ValueCache<number>(new Set(), budget);
		for (let i = 0; i < 100; i++) cache.keep(index, `block ${i}`, i, 10_000);
		const kept = Array.from({ length: 100 }, (_, i) => cache.get(index, `block ${i}`)).filter(
			(value) => value !== undefined,
		);
		expect(kept.length).toBeLessThanOrEqual(budget.decodedBytes / (12 * 10_000));
		expect(kept.at(-1)).toBe(99);
	});

	it("gives history a part of its own, and tells how often it was full", () => {
		const cache = new ValueCache<number>(new Set([stores.block.index]), budget);
		cache.keep(index, "account", 1, 10);
		for (let i = 0; i < 10; i++) cache.keep(stores.block.index, `block ${i}`, i, 1 << 20);
		expect(cache.get(stores.block.index, "block 6")).toBeUndefined();
		expect(cache.get(stores.block.index, "block 9")).toBe(9);
		expect(cache.get(index, "account")).toBe(1);
		expect(cache.use).toMatchObject([{ turns: 0 }, { turns: 9 }]);
	});

	it("shares one budget among the stores that rules ask: a busy one takes the room of others", () => {
		const cache = new ValueCache<number>(new Set(), budget);
		cache.keep(stores.contract.index, "contract", 1, 10);
		for (let i = 0; i < 3 * GENERATION; i++) cache.keep(index, `account ${i}`, i, 10);
		expect(cache.get(stores.contract.index, "contract")).toBeUndefined();
		const kept = cache.use.reduce((sum, { entries }) => sum + entries, 0);
		expect(kept).toBeLessThanOrEqual(2 * GENERATION);
	});

	it("never answers with a replaced value, in whichever generation it was", () => {
		const cache = new ValueCache<string>(new Set(), budget);
		cache.keep(index, "young", "before", 10);
		cache.replace(index, "young", "after", 10);
		expect(cache.get(index, "young")).toBe("after");
		cache.keep(index, "old", "before", 10);
		for (let i = 0; i < GENERATION; i++) cache.keep(index, `filler ${i}`, "", 10);
		cache.replace(index, "old", "after", 10);
		for (let i = 0; i < GENERATION; i++) {
			expect(cache.get(index, "old")).toBe("after");
			cache.keep(index, `more ${i}`, "", 10);
		}
	});
});
