import { describe, expect, it } from "vitest";
import { checkSchedule } from "../../../src/node/consensus/schedule.js";
import { activeWitnesses, scheduledWitness, slotOf, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { address, blockOf, GENESIS_MS, openState, setHead } from "./chain-state.js";

const at = (slot: bigint, offMs = 0n) => GENESIS_MS + slot * 3000n + offMs;

describe("the schedule", () => {
	it("accepts any first block", async () => {
		const state = await openState(3);
		expect(checkSchedule(state, blockOf(1n, 7n, address(99)))).toBe(true);
	});

	// Head at slot 10 with 3 witnesses: slot 11 belongs to witness 2, slot 12 to 0, slot 13 to 1.
	it.each([
		["the next slot with its witness", 11n, 0n, 2, false, true],
		["the next slot with another witness", 11n, 0n, 1, false, false],
		["a later slot with its witness", 13n, 0n, 1, false, true],
		["a slot an hour later", 1211n, 0n, 1211 % 3, false, true],
		["the head's own slot", 10n, 2999n, 1, false, false],
		["the past", 9n, 0n, 0, false, false],
		["a time inside a slot, before the rule", 11n, 1n, 2, false, true],
		["a time inside a slot, with the rule", 11n, 1n, 2, true, false],
		["a time on the slot, with the rule", 11n, 0n, 2, true, true],
	])("judges %s", async (_what, slot, offMs, witness, strict, good) => {
		const state = await openState(3);
		setHead(state, 5n, at(10n));
		if (strict) state.properties.set("CONSENSUS_LOGIC_OPTIMIZATION", 1n);
		expect(checkSchedule(state, blockOf(6n, at(slot, offMs), address(witness)))).toBe(good);
	});

	it("skips two slots after a maintenance block without moving the order", async () => {
		const state = await openState(3);
		setHead(state, 5n, at(10n));
		state.properties.set("state_flag", 1);
		expect(slotTimeMs(state, 1n)).toBe(at(13n));
		expect(scheduledWitness(state, 1n)).toEqual(Buffer.from(address(2)));
	});

	it("gives the skipped slots to the head's witness until the rule forbids them", async () => {
		const state = await openState(3);
		setHead(state, 5n, at(10n));
		state.properties.set("state_flag", 1);
		const inside = blockOf(6n, at(12n), address(1));
		expect(slotOf(state, inside.timestampMs)).toBe(0n);
		expect(checkSchedule(state, inside)).toBe(true);
		state.properties.set("CONSENSUS_LOGIC_OPTIMIZATION", 1n);
		expect(checkSchedule(state, inside)).toBe(false);
	});

	it("fails on a slot number beyond 32 bits", async () => {
		const state = await openState(3);
		setHead(state, 5n, at(10n));
		expect(() => scheduledWitness(state, 1n << 31n, activeWitnesses(state))).toThrow(
			"current slot should be positive.",
		);
	});
});
