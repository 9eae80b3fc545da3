import { describe, expect, it } from "vitest";
import { adoptionCost } from "../../../src/node/adoption/cost.js";
import type { Judgement } from "../../../src/node/adoption/judgement.js";

const GIB = 2 ** 30;

/** Full data of a network: the newest blocks are larger than those of the first years. */
const JUDGED = {
	storeBytes: new Map([
		["account", 10 * GIB],
		["block", 1000 * GIB],
		["trans", 200 * GIB],
	]),
	storeEntries: new Map([
		["account", 100e6],
		["block", 80e6],
		["trans", 5e9],
	]),
	blockBytes: 100_000,
	lowest: 1n,
	head: { number: 80_000_000n },
} as unknown as Judgement;

describe("what an adoption will take", () => {
	it("is everything where blocks are copied", () => {
		const { needed, entries, seconds } = adoptionCost(JUDGED, "copy");
		expect([needed, entries]).toEqual([Math.ceil(1210 * GIB * 1.1), 5_180_000_000]);
		expect(seconds / 3600).toBeGreaterThan(12);
	});

	it("is the state and the newest 65,536 blocks in their present size where they aren't", () => {
		const { needed, entries } = adoptionCost(JUDGED, "none");
		expect(entries).toBe(100e6 + 65_536 * (2 + 334));
		expect(needed / GIB).toBeCloseTo(1.1 * (10 + (65_536 * 100_000 + 65_536 * 336 * 48) / GIB), 3);
	});

	it("counts no more blocks than there are", () => {
		const young = { ...JUDGED, head: { number: 100n } } as unknown as Judgement;
		expect(adoptionCost(young, "none").entries).toBe(100e6 + 100 * 336);
	});
});
