import { describe, expect, it } from "vitest";
import type { StateView } from "../../../src/node/state/view.js";
import { currentContractState } from "../../../src/node/vm/dynamic-energy.js";
import { ContractState } from "../../../src/protocol/messages.js";
import { CONTRACT, emptyState } from "./machine-fixture.js";

async function stateInCycle(cycle: bigint): Promise<StateView> {
	const state = await emptyState();
	state.properties.set("CURRENT_CYCLE_NUMBER", cycle);
	state.properties.set("DYNAMIC_ENERGY_THRESHOLD", 60_000n);
	state.properties.set("DYNAMIC_ENERGY_INCREASE_FACTOR", 2_000n);
	state.properties.set("DYNAMIC_ENERGY_MAX_FACTOR", 34_000n);
	return state;
}

describe("the energy factor of a contract", () => {
	it.each([
		["stays in its cycle", { energy_usage: 70_000n, energy_factor: 5n, update_cycle: 9n }, 9n, 70_000n, 5n],
		["starts anew after a reset of cycles", { energy_factor: 5n, update_cycle: 9n }, 3n, 0n, 0n],
		["starts anew where no cycle is recorded", { energy_factor: 5n, update_cycle: 0n }, 3n, 0n, 0n],
		["grows after a cycle of much use", { energy_usage: 60_001n, update_cycle: 8n }, 9n, 0n, 2_000n],
		["grows on itself", { energy_usage: 60_001n, energy_factor: 2_000n, update_cycle: 8n }, 9n, 0n, 4_400n],
		[
			"grows up to the maximum",
			{ energy_usage: 60_001n, energy_factor: 33_000n, update_cycle: 8n },
			9n,
			0n,
			34_000n,
		],
		[
			"doesn't grow at the threshold itself",
			{ energy_usage: 60_000n, energy_factor: 0n, update_cycle: 8n },
			9n,
			0n,
			0n,
		],
		["falls in an idle cycle", { energy_factor: 4_400n, update_cycle: 8n }, 9n, 0n, 3_680n],
		["falls for six idle cycles", { energy_factor: 4_400n, update_cycle: 8n }, 14n, 0n, 585n],
		[
			"grows, then falls for two cycles, the power taken as a square",
			{ energy_usage: 95_733n, update_cycle: 23n },
			26n,
			0n,
			830n,
		],
		["is gone after very many idle cycles", { energy_factor: 34_000n, update_cycle: 1n }, 1_000_000n, 0n, 0n],
	])("%s", async (_, stored, cycle, usage, factor) => {
		const state = await stateInCycle(cycle);
		state.contractState.put(CONTRACT, ContractState.create(stored));
		expect(currentContractState(state, CONTRACT)).toMatchObject({
			energy_usage: usage,
			energy_factor: factor,
			update_cycle: cycle,
		});
	});

	it("is none for a contract that never ran", async () => {
		expect(currentContractState(await stateInCycle(4n), CONTRACT)).toMatchObject({
			energy_usage: 0n,
			energy_factor: 0n,
			update_cycle: 4n,
		});
	});
});
