import { describe, expect, it } from "vitest";
import {
	applyStatistics,
	participationPercent,
	updateSolidified,
} from "../../../src/node/consensus/statistics.js";
import { Witness } from "../../../src/protocol/messages.js";
import { address, blockOf, GENESIS_MS, openState, setHead } from "./chain-state.js";

const at = (slot: bigint) => GENESIS_MS + slot * 3000n;

describe("block statistics", () => {
	it("count the producer's block", async () => {
		const state = await openState(3);
		applyStatistics(state, blockOf(1n, at(500n), address(1)));
		expect(state.witness.get(address(1))).toMatchObject({
			totalProduced: 1n,
			latestBlockNum: 1n,
			latestSlotNum: 500n,
		});
	});

	it("miss nothing before the first block, however late it comes", async () => {
		const state = await openState(3);
		applyStatistics(state, blockOf(1n, at(500n), address(1)));
		expect(state.witness.values().map((witness) => witness.totalMissed)).toEqual([0n, 0n, 0n]);
		expect(participationPercent(state)).toBe(100);
	});

	it("count every empty slot for the witness that should have filled it", async () => {
		const state = await openState(3);
		setHead(state, 1n, at(9n));
		applyStatistics(state, blockOf(2n, at(15n), address(0)));
		// Slots 10 to 14 stayed empty: witnesses 1, 2, 0, 1, 2.
		expect(state.witness.values().map((witness) => witness.totalMissed)).toEqual([1n, 2n, 2n]);
		expect(state.properties.get("BLOCK_FILLED_SLOTS")).toBe(`000001${"1".repeat(122)}`);
		expect(state.properties.get("BLOCK_FILLED_SLOTS_INDEX")).toBe(6);
		expect(participationPercent(state)).toBe(96);
	});

	it.each([
		[127n, 0, 127],
		[128n, 0, 0],
		[130n, 126, 0],
		[5n, 126, 3],
	])("after %i empty slots from ring position %i fill position %i", async (missed, from, filled) => {
		const state = await openState(1);
		setHead(state, 1n, at(0n));
		state.properties.set("BLOCK_FILLED_SLOTS_INDEX", from);
		applyStatistics(state, blockOf(2n, at(missed + 1n), address(0)));
		const ring = state.properties.get("BLOCK_FILLED_SLOTS");
		expect(ring).toHaveLength(128);
		expect(ring[filled]).toBe("1");
		expect(ring.split("0").length - 1).toBe(Math.min(Number(missed), 127));
		expect(state.properties.get("BLOCK_FILLED_SLOTS_INDEX")).toBe((filled + 1) % 128);
	});

	it("refuse a producer without a record", async () => {
		const state = await openState(1);
		expect(() => applyStatistics(state, blockOf(1n, at(1n), address(7)))).toThrow("no record");
	});
});

describe("the solidified number", () => {
	// Witness i has built on height 100 + i: the position in the sorted heights shows in the result.
	it.each([
		[1, 0],
		[3, 0],
		[4, 1],
		[6, 1],
		[7, 2],
		[9, 2],
		[10, 3],
		[13, 3],
		[14, 4],
		[17, 5],
		[20, 6],
		[24, 7],
		[27, 8],
	])("with %i witnesses is the height at position %i", async (count, position) => {
		const state = await openState(count);
		for (const witness of state.witness.values()) {
			const copy = Witness.copy(witness);
			copy.latestBlockNum = 100n + BigInt(witness.address[20] as number);
			state.witness.put(witness.address, copy);
		}
		updateSolidified(state, blockOf(200n, at(500n), address(1)));
		expect(state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM")).toBe(100n + BigInt(position));
	});

	it("never goes back", async () => {
		const state = await openState(3);
		state.properties.set("LATEST_SOLIDIFIED_BLOCK_NUM", 5n);
		updateSolidified(state, blockOf(200n, at(500n), address(1)));
		expect(state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM")).toBe(5n);
	});
});
