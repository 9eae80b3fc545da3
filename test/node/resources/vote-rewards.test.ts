import { beforeEach, describe, expect, test } from "vitest";
import * as cycles from "../../../src/node/resources/delegation-store.js";
import { VI_SCALE } from "../../../src/node/resources/old-reward-vi.js";
import {
	chainRewards,
	computeReward,
	machineRewards,
	queryReward,
	withdrawReward,
} from "../../../src/node/resources/vote-rewards.js";
import type { StateView } from "../../../src/node/state/view.js";
import { be64 } from "../../../src/protocol/bytes.js";
import { Account, Vote } from "../../../src/protocol/messages.js";
import { address, GENESIS_MS, openState, setHead } from "../consensus/chain-state.js";

const voter = address(1);
const [first, second] = [address(10), address(11)];
const votes = [
	Vote.create({ vote_address: first, vote_count: 10n }),
	Vote.create({ vote_address: second, vote_count: 1n }),
];

let state: StateView;
beforeEach(async () => {
	state = await openState(0);
	state.properties.set("CHANGE_DELEGATION", 1n);
	state.account.put(voter, Account.create({ address: voter, allowance: 5n, votes }));
});

const setCycle = (cycle: bigint) => state.properties.set("CURRENT_CYCLE_NUMBER", cycle);
const allowance = () => state.account.get(voter)?.allowance;

describe("rewards of single cycles", () => {
	beforeEach(() => {
		for (const cycle of [1n, 2n]) {
			cycles.addCycleReward(state, cycle, first, 1000n);
			cycles.setCycleVotes(state, cycle, first, 30n);
			cycles.addCycleReward(state, cycle, second, 99n);
			cycles.setCycleVotes(state, cycle, second, 100n);
		}
	});

	test("are truncated after each vote of each cycle", () => {
		// 1000 * 10/30 = 333.3; 333 + 99/100 = 333.99.
		expect(computeReward(state, 1n, 3n, votes)).toBe(666n);
	});

	test("are summed up and then truncated once by accumulation", () => {
		state.properties.set("ALLOW_OLD_REWARD_OPT", 1n);
		// 2000 * 10/30 = 666.6; 2 * 99/100 = 1.98.
		expect(computeReward(state, 1n, 3n, votes)).toBe(667n);
		expect(computeReward(state, 2n, 3n, votes)).toBe(333n);
		expect(computeReward(state, 3n, 3n, votes)).toBe(0n);
	});

	test("need recorded votes, which accumulation takes for -1 where they are missing", () => {
		cycles.addCycleReward(state, 3n, first, 700n);
		expect(computeReward(state, 3n, 4n, votes)).toBe(0n);
		state.properties.set("ALLOW_OLD_REWARD_OPT", 1n);
		expect(computeReward(state, 3n, 4n, votes)).toBe(0n);
		// The sum falls by 700 a vote in cycle 3, so what was earned before is lost as well.
		expect(computeReward(state, 1n, 4n, votes)).toBe(1n);
	});

	test("are summed up again if the block of the first sum left the chain", () => {
		state.properties.set("ALLOW_OLD_REWARD_OPT", 1n);
		setHead(state, 7n, GENESIS_MS);
		state.blockIndex.put(be64(7n), Buffer.from("one"));
		expect(computeReward(state, 1n, 3n, votes)).toBe(667n);
		cycles.addCycleReward(state, 2n, first, 500n);
		expect(computeReward(state, 1n, 3n, votes)).toBe(667n);
		state.blockIndex.put(be64(7n), Buffer.from("other"));
		expect(computeReward(state, 1n, 3n, votes)).toBe(834n);
	});

	test("end where the cumulative algorithm begins", () => {
		state.properties.set("NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE", 2n);
		cycles.setCycleVi(state, 1n, first, 7n * VI_SCALE);
		cycles.setCycleVi(state, 2n, first, 9n * VI_SCALE);
		expect(computeReward(state, 1n, 3n, votes)).toBe(333n + 20n);
		expect(machineRewards.compute(state, 1n, 3n, votes)).toBe(90n);
		expect(machineRewards.compute(state, 2n, 2n, votes)).toBe(0n);
	});
});

describe("settling", () => {
	beforeEach(() => {
		state.properties.set("NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE", 0n);
		for (const cycle of [0n, 1n, 2n, 3n, 4n]) cycles.setCycleVi(state, cycle, first, (cycle + 1n) * VI_SCALE);
	});

	test("pays the cycles that are over, once", () => {
		setCycle(3n);
		expect(queryReward(state, voter)).toBe(5n + 30n);
		withdrawReward(state, voter);
		expect(allowance()).toBe(35n);
		withdrawReward(state, voter);
		expect(allowance()).toBe(35n);
		expect(queryReward(state, voter)).toBe(35n);
		expect(cycles.beginCycle(state, voter)).toBe(3n);
		expect(cycles.endCycle(state, voter)).toBe(4n);
	});

	test("keeps the account as it was before", () => {
		setCycle(3n);
		withdrawReward(state, voter);
		expect(cycles.accountVote(state, 3n, voter)).toMatchObject({ allowance: 5n });
	});

	test("pays the cycle of a change by the votes from before it, and later cycles by the new ones", () => {
		setCycle(1n);
		withdrawReward(state, voter);
		const changed = Account.copy(state.account.existing(voter));
		changed.votes = [Vote.create({ vote_address: first, vote_count: 100n })];
		state.account.put(voter, changed);
		setCycle(3n);
		expect(queryReward(state, voter)).toBe(5n + 10n + 10n + 100n);
		withdrawReward(state, voter);
		expect(allowance()).toBe(125n);
	});

	test("of an account without votes starts it at the next cycle", () => {
		state.account.put(voter, Account.create({ address: voter, allowance: 5n }));
		setCycle(3n);
		withdrawReward(state, voter);
		expect(cycles.beginCycle(state, voter)).toBe(4n);
		expect(queryReward(state, voter)).toBe(5n);
		expect(cycles.accountVote(state, 3n, voter)).toBeUndefined();
	});

	test.each([
		["CHANGE_DELEGATION", chainRewards],
		["ALLOW_TVM_VOTE", machineRewards],
	] as const)("waits for %s", (parameter, rules) => {
		setCycle(3n);
		state.properties.set(parameter, 0n);
		withdrawReward(state, voter, rules);
		expect(allowance()).toBe(5n);
		expect(queryReward(state, voter, rules)).toBe(0n);
		state.properties.set(parameter, 1n);
		expect(queryReward(state, voter, rules)).toBe(35n);
		withdrawReward(state, voter, rules);
		expect(allowance()).toBe(35n);
	});
});

test.each([
	[0n, "00"],
	[127n, "7f"],
	[128n, "0080"],
	[-1n, "ff"],
	[-129n, "ff7f"],
	[VI_SCALE, "0de0b6b3a7640000"],
	[10n * VI_SCALE, "008ac7230489e80000"],
])("the accumulated reward %d is stored as %s", (value, hex) => {
	expect(Buffer.from(cycles.toTwosComplement(value)).toString("hex")).toBe(hex);
	expect(cycles.fromTwosComplement(Buffer.from(hex, "hex"))).toBe(value);
});
