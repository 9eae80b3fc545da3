import { describe, expect, it } from "vitest";
import { maintenanceDue, runMaintenance } from "../../../src/node/consensus/maintenance.js";
import { activeWitnesses } from "../../../src/node/consensus/slots.js";
import {
	brokerageSetting,
	cycleBrokerage,
	cycleVotes,
	setBrokerageSetting,
} from "../../../src/node/resources/delegation-store.js";
import type { StateView } from "../../../src/node/state/view.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { Account, Vote, Votes, Witness } from "../../../src/protocol/messages.js";
import { address, blockOf, GENESIS_MS, INTERVAL_MS, openState, rules, setHead } from "./chain-state.js";

const voter = address(500);

function recordVotes(state: StateView, oldVotes: [number, bigint][], newVotes: [number, bigint][]): void {
	const list = (votes: [number, bigint][]) =>
		votes.map(([i, count]) => Vote.create({ vote_address: address(i), vote_count: count }));
	state.votes.put(
		voter,
		Votes.create({ address: voter, old_votes: list(oldVotes), new_votes: list(newVotes) }),
	);
}

function withAccounts(state: StateView): void {
	for (const witness of state.witness.values()) {
		state.account.put(witness.address, Account.create({ address: witness.address }));
	}
}

/** A state at whose next block maintenance is due. */
async function openAtMaintenance(count: number): Promise<StateView> {
	const state = await openState(count);
	withAccounts(state);
	setHead(state, 9n, GENESIS_MS + 27_000n);
	return state;
}

const maintain = (state: StateView) =>
	runMaintenance(state, rules, blockOf(10n, GENESIS_MS + 30_000n, address(0)));

describe("maintenance", () => {
	it.each([
		["right at its time", 0n, 1n],
		["within the first interval", INTERVAL_MS - 1n, 1n],
		["a whole interval late", INTERVAL_MS, 2n],
		["three intervals late", 3n * INTERVAL_MS + 5n, 4n],
	])("schedules the next one after a block %s", async (_what, late, intervals) => {
		const state = await openState(1);
		runMaintenance(state, rules, blockOf(1n, GENESIS_MS + late, address(0)));
		expect(state.properties.get("NEXT_MAINTENANCE_TIME")).toBe(GENESIS_MS + intervals * INTERVAL_MS);
		expect(state.properties.get("state_flag")).toBe(1);
	});

	it("leaves a block before its time alone", async () => {
		const state = await openState(1);
		state.properties.set("NEXT_MAINTENANCE_TIME", GENESIS_MS + 60_000n);
		state.properties.set("state_flag", 1);
		const early = GENESIS_MS + 59_999n;
		expect(maintenanceDue(state, early)).toBe(false);
		runMaintenance(state, rules, blockOf(10n, early, address(0)));
		expect(state.properties.get("NEXT_MAINTENANCE_TIME")).toBe(GENESIS_MS + 60_000n);
		expect(state.properties.get("state_flag")).toBe(0);
	});

	it("counts no votes at the first block", async () => {
		const state = await openState(2);
		withAccounts(state);
		recordVotes(state, [], [[1, 50n]]);
		runMaintenance(state, rules, blockOf(1n, GENESIS_MS, address(0)));
		expect(state.votes.has(voter)).toBe(true);
		expect(state.witness.get(address(1))?.voteCount).toBe(999n);
	});

	it("moves votes, deletes their records and chooses the active witnesses anew", async () => {
		const state = await openAtMaintenance(28);
		const outside = Witness.copy(state.witness.get(address(27)) as Witness);
		outside.isJobs = false;
		state.witness.put(address(27), outside);
		recordVotes(state, [[0, 400n]], [[27, 5000n]]);
		maintain(state);
		expect(state.votes.keys()).toEqual([]);
		expect(state.witness.get(address(0))).toMatchObject({ voteCount: 600n, isJobs: false });
		expect(state.witness.get(address(27))).toMatchObject({ voteCount: 5973n, isJobs: true });
		const active = activeWitnesses(state).map((each) => each[20]);
		expect(active).toEqual([27, ...Array.from({ length: 26 }, (_, i) => i + 1)]);
	});

	it("does not sort without vote records", async () => {
		const state = await openAtMaintenance(2);
		const strong = Witness.copy(state.witness.get(address(1)) as Witness);
		strong.voteCount = 9999n;
		state.witness.put(address(1), strong);
		maintain(state);
		expect(activeWitnesses(state).map(toHex)).toEqual([address(0), address(1)].map(toHex));
	});

	it("ignores votes for those that have no account", async () => {
		const state = await openAtMaintenance(2);
		state.account.delete(address(1));
		recordVotes(state, [], [[1, 50n]]);
		maintain(state);
		expect(state.witness.get(address(1))?.voteCount).toBe(999n);
	});

	it("pays the standby witnesses of the old rules by their votes", async () => {
		const state = await openAtMaintenance(2);
		recordVotes(
			state,
			[],
			[
				[0, 0n],
				[1, 1n],
			],
		);
		maintain(state);
		expect(state.account.get(address(0))?.allowance).toBe(57_600_000_000n);
		expect(state.account.get(address(1))?.allowance).toBe(57_600_000_000n);
	});

	it("fixes brokerage and votes of the next cycle under delegation rewards", async () => {
		const state = await openAtMaintenance(2);
		state.properties.set("CHANGE_DELEGATION", 1n);
		setBrokerageSetting(state, address(1), 35);
		maintain(state);
		expect(state.properties.get("CURRENT_CYCLE_NUMBER")).toBe(1n);
		expect(brokerageSetting(state, address(0))).toBe(20);
		expect(cycleBrokerage(state, 1n, address(1))).toBe(35);
		expect(cycleVotes(state, 1n, address(0))).toBe(1000n);
		expect(state.account.get(address(0))?.allowance).toBe(0n);
	});

	it("takes the genesis votes away once", async () => {
		const state = await openAtMaintenance(2);
		state.properties.set("REMOVE_THE_POWER_OF_THE_GR", 1n);
		const genesis = { ...rules, genesisWitnesses: [{ address: address(0), votes: 900n }] };
		const block = blockOf(10n, GENESIS_MS + 30_000n, address(0));
		runMaintenance(state, genesis, block);
		runMaintenance(state, genesis, blockOf(11n, GENESIS_MS + 2n * INTERVAL_MS, address(0)));
		expect(state.witness.get(address(0))?.voteCount).toBe(100n);
		expect(state.properties.get("REMOVE_THE_POWER_OF_THE_GR")).toBe(-1n);
	});
});
