import { beforeEach, describe, expect, test } from "vitest";
import {
	fullPower,
	initializeOldPower,
	invalidateOldPower,
	replaceVotes,
	rescaleVotes,
	resourcePower,
	shrinkVotes,
	votingPower,
} from "../../../src/node/resources/votes.js";
import type { StateView } from "../../../src/node/state/view.js";
import {
	Account,
	AccountAccountResource,
	AccountFreezeV2,
	AccountFrozen,
	ResourceCode,
	Vote,
} from "../../../src/protocol/messages.js";
import { address, openState } from "../consensus/chain-state.js";

const COIN = 1_000_000n;
const voter = address(1);

let state: StateView;
beforeEach(async () => {
	state = await openState(0);
});

const votesOf = (...counts: bigint[]) =>
	counts.map((vote_count, i) => Vote.create({ vote_address: address(10 + i), vote_count }));
const countsOf = (votes: readonly Readonly<Vote>[] | undefined) => votes?.map((vote) => vote.vote_count);

/** An account with resource stake of every kind, worth 11,111,111 sun, and 2,200,000 sun of bought power. */
const staker = (old: bigint) =>
	Account.create({
		frozen: [AccountFrozen.create({ frozen_balance: 1n })],
		frozenV2: [
			AccountFreezeV2.create({ type: ResourceCode.BANDWIDTH, amount: 1_000n }),
			AccountFreezeV2.create({ type: ResourceCode.COIN_POWER, amount: 2_000_000n }),
			AccountFreezeV2.create({ type: ResourceCode.ENERGY, amount: 10_000n }),
		],
		coin_power: AccountFrozen.create({ frozen_balance: 200_000n }),
		delegated_frozen_balance_for_bandwidth: 10n,
		delegated_frozenV2_balance_for_bandwidth: 100_000n,
		acquired_delegated_frozenV2_balance_for_bandwidth: 77n,
		account_resource: AccountAccountResource.create({
			frozen_balance_for_energy: AccountFrozen.create({ frozen_balance: 100n }),
			delegated_frozen_balance_for_energy: 1_000_000n,
			delegated_frozenV2_balance_for_energy: 10_000_000n,
			acquired_delegated_frozen_balance_for_energy: 77n,
		}),
		old_coin_power: old,
	});

describe("voting power", () => {
	test("of resources is own and given stake, not received stake or stake for power", () => {
		expect(resourcePower(staker(0n))).toBe(11_111_111n);
	});

	test.each([
		[0n, 13_311_111n],
		[5n, 2_200_005n],
		[-1n, 2_200_000n],
	])("with old power %d is %d under the new model", (old, power) => {
		expect(fullPower(staker(old))).toBe(power);
	});

	test("follows the model that is on", () => {
		expect(votingPower(state.properties, staker(-1n))).toBe(11_111_111n);
		state.properties.set("ALLOW_NEW_RESOURCE_MODEL", 1n);
		expect(votingPower(state.properties, staker(-1n))).toBe(2_200_000n);
	});

	test("keeps the old power at the first touch and ends it at the first unstaking, under the new model", () => {
		const before = staker(0n);
		initializeOldPower(state.properties, before);
		invalidateOldPower(state.properties, before);
		expect(before.old_coin_power).toBe(0n);
		state.properties.set("ALLOW_NEW_RESOURCE_MODEL", 1n);
		const account = staker(0n);
		initializeOldPower(state.properties, account);
		expect(account.old_coin_power).toBe(11_111_111n);
		invalidateOldPower(state.properties, account);
		expect(account.old_coin_power).toBe(-1n);
		const empty = new Account();
		initializeOldPower(state.properties, empty);
		expect(empty.old_coin_power).toBe(-1n);
	});
});

test("a second change in a cycle keeps the votes from before the first", () => {
	const account = Account.create({ address: voter, votes: votesOf(1n) });
	replaceVotes(state, account, votesOf(2n));
	replaceVotes(state, account, votesOf(3n, 4n));
	expect(countsOf(account.votes)).toEqual([3n, 4n]);
	expect(countsOf(state.votes.get(voter)?.old_votes)).toEqual([1n]);
	expect(countsOf(state.votes.get(voter)?.new_votes)).toEqual([3n, 4n]);
});

test.each([
	{ counts: [100n, 50n, 33n], power: 150_500_000n, kept: [82n, 41n, 27n] },
	{ counts: [1n, 99n], power: 50n * COIN, kept: [49n] },
	{ counts: [1n, 2n], power: 0n, kept: [] },
])("votes $counts rescaled to $power sun are $kept", ({ counts, power, kept }) => {
	const total = counts.reduce((sum, count) => sum + count, 0n);
	expect(countsOf(rescaleVotes(votesOf(...counts), total, power))).toEqual(kept);
});

describe("unstaking", () => {
	/** Votes for ten coins, with stake of each kind in coins. */
	const account = (bandwidth: bigint, power: bigint, old: bigint) =>
		Account.create({
			address: voter,
			votes: votesOf(6n, 4n),
			frozenV2: [
				AccountFreezeV2.create({ type: ResourceCode.BANDWIDTH, amount: bandwidth * COIN }),
				AccountFreezeV2.create({ type: ResourceCode.COIN_POWER, amount: power * COIN }),
			],
			old_coin_power: old,
		});
	const { BANDWIDTH, COIN_POWER } = ResourceCode;

	test.each([
		{
			what: "leaves votes that the rest covers",
			newModel: 0n,
			of: account(10n, 0n, 0n),
			code: BANDWIDTH,
			votes: [6n, 4n],
		},
		{
			what: "rescales votes that it doesn't cover",
			newModel: 0n,
			of: account(5n, 0n, 0n),
			code: BANDWIDTH,
			votes: [3n, 2n],
		},
		{
			what: "clears votes on old power",
			newModel: 1n,
			of: account(50n, 50n, 9n),
			code: BANDWIDTH,
			votes: [],
		},
		{
			what: "of resources leaves votes on bought power",
			newModel: 1n,
			of: account(0n, 5n, -1n),
			code: BANDWIDTH,
			votes: [6n, 4n],
		},
		{
			what: "of power rescales votes on bought power",
			newModel: 1n,
			of: account(50n, 5n, -1n),
			code: COIN_POWER,
			votes: [3n, 2n],
		},
	])("$what", ({ newModel, of, code, votes }) => {
		state.properties.set("ALLOW_NEW_RESOURCE_MODEL", newModel);
		shrinkVotes(state, of, code);
		expect(countsOf(of.votes)).toEqual(votes);
		const changed = votes.length !== 2 || votes[0] !== 6n;
		expect(countsOf(state.votes.get(voter)?.new_votes)).toEqual(changed ? votes : undefined);
	});
});
