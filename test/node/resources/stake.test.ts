import { beforeEach, describe, expect, test } from "vitest";
import { delegableStake, delegationSize, usedStake } from "../../../src/node/resources/delegable.js";
import {
	addDelegation,
	addStakeV2,
	addTotalWeight,
	delegation,
	ownStakeV1,
	ownStakeV2,
	resourceLimit,
	resourceStake,
	splitUnstaking,
	weightV2,
} from "../../../src/node/resources/stake.js";
import { chainStakes, takeFromReceiver } from "../../../src/node/resources/stake-effects.js";
import type { StateView } from "../../../src/node/state/view.js";
import { MAX_INT64 } from "../../../src/protocol/int64.js";
import {
	Account,
	AccountAccountResource,
	AccountFreezeV2,
	AccountFrozen,
	AccountUnFreezeV2,
	ResourceCode,
} from "../../../src/protocol/messages.js";
import { address, GENESIS_MS, openState, setHead } from "../consensus/chain-state.js";

const COIN = 1_000_000n;
const NET_LIMIT = 43_200_000_000n;

let state: StateView;
beforeEach(async () => {
	state = await openState(0);
	state.properties.set("UNFREEZE_DELAY_DAYS", 14n);
	state.properties.set("ALLOW_CANCEL_ALL_UNFREEZE_V2", 1n);
});

describe("the limit that a stake gives", () => {
	const received = (amount: bigint) =>
		Account.create({
			acquired_delegated_frozen_balance_for_bandwidth: amount,
			account_resource: AccountAccountResource.create({
				acquired_delegated_frozen_balance_for_energy: amount,
			}),
		});
	beforeEach(() => {
		state.properties.set("TOTAL_NET_LIMIT", NET_LIMIT);
		state.properties.set("TOTAL_ENERGY_CURRENT_LIMIT", NET_LIMIT);
	});

	test.each([
		// By delay in days: without one, whole coins count.
		[26_000_000_000n, 1_500_000n, 14n, 2n],
		[26_987_654_321n, 1_234_567_890n, 14n, 1976n],
		[26_987_654_321n, 1_234_567_890n, 0n, 1975n],
		[26_987_654_321n, 999_999n, 0n, 0n],
		[-2n, 1_000_000n, 0n, -21_600_000_000n],
		[0n, 5_000_000n, 14n, 0n],
	])("of total weight %d and stake %d, delay %d days: %d", (weight, stake, days, expected) => {
		state.properties.set("TOTAL_NET_WEIGHT", weight);
		state.properties.set("TOTAL_ENERGY_WEIGHT", weight);
		state.properties.set("UNFREEZE_DELAY_DAYS", days);
		expect(resourceLimit(state.properties, received(stake), "bandwidth")).toBe(expected);
		expect(resourceLimit(state.properties, received(stake), "energy")).toBe(expected);
	});

	test("of a total weight of 0 was no bandwidth but all energy, until the new reward rules", () => {
		state.properties.set("UNFREEZE_DELAY_DAYS", 0n);
		const account = received(1_000_000n);
		expect(resourceLimit(state.properties, account, "bandwidth")).toBe(0n);
		expect(resourceLimit(state.properties, account, "energy")).toBe(MAX_INT64);
		state.properties.set("ALLOW_NEW_REWARD", 1n);
		expect(resourceLimit(state.properties, account, "energy")).toBe(0n);
	});
});

test("the stake behind a usage is the usage's share of the total weight", () => {
	state.properties.set("TOTAL_NET_LIMIT", NET_LIMIT);
	state.properties.set("TOTAL_NET_WEIGHT", 26_987_654_321n);
	expect(usedStake(state.properties, "bandwidth", 12_345n)).toBe(7_712_097_050n);
});

describe("the estimated size of a delegation", () => {
	test.each([
		[0n, 86_400n, 275n],
		[1_000_000_000_000n, 86_400n, 280n],
		[1_000_000_000_000n, 864_000n, 284n],
		[5_000_000n, 10_512_000n, 283n],
		[0n, 864_000n, 277n],
	])("with %d sun staked and locks up to %d is %d bytes", (staked, maxLock, size) => {
		state.properties.set("MAX_DELEGATE_LOCK_PERIOD", maxLock);
		const account = new Account();
		addStakeV2(account, ResourceCode.BANDWIDTH, staked);
		expect(delegationSize(state.properties, account)).toBe(size);
	});
});

describe("stake that can be delegated", () => {
	const limits = () => {
		state.properties.set("TOTAL_NET_LIMIT", NET_LIMIT);
		state.properties.set("TOTAL_NET_WEIGHT", 43_200n);
	};
	/** With these limits a byte of usage is a sun of stake. */
	const account = (init: Partial<Account>) =>
		Account.create({
			latest_consume_time: state.properties.headSlot,
			frozenV2: [AccountFreezeV2.create({ amount: 10n * COIN })],
			...init,
		});

	test("is what usage leaves of it", () => {
		limits();
		expect(delegableStake(state.properties, account({ net_usage: 3n * COIN }), "bandwidth")).toBe(7n * COIN);
		expect(delegableStake(state.properties, account({ net_usage: 3n * COIN }), "bandwidth", 280n)).toBe(
			7n * COIN - 280n,
		);
	});

	test("is all of it while received and old stake cover the usage", () => {
		limits();
		const covered = account({
			net_usage: 3n * COIN,
			frozen: [AccountFrozen.create({ frozen_balance: COIN })],
			acquired_delegated_frozen_balance_for_bandwidth: COIN,
			acquired_delegated_frozenV2_balance_for_bandwidth: COIN,
		});
		expect(delegableStake(state.properties, covered, "bandwidth")).toBe(10n * COIN);
	});

	test("is negative where more is used than staked", () => {
		limits();
		expect(delegableStake(state.properties, account({ net_usage: 11n * COIN }), "bandwidth")).toBe(-COIN);
	});
});

describe("stakes of an account", () => {
	test("of the second generation have one entry a kind, which stays at 0", () => {
		const account = new Account();
		addStakeV2(account, ResourceCode.ENERGY, 5n);
		addStakeV2(account, ResourceCode.BANDWIDTH, 7n);
		addStakeV2(account, ResourceCode.ENERGY, -5n);
		expect(account.frozenV2.map(({ type, amount }) => [type, amount])).toEqual([
			[ResourceCode.ENERGY, 0n],
			[ResourceCode.BANDWIDTH, 7n],
		]);
		expect(ownStakeV2(account, ResourceCode.BANDWIDTH)).toBe(7n);
	});

	test("weigh whole coins, those given away included", () => {
		const account = Account.create({ delegated_frozenV2_balance_for_bandwidth: 600_000n });
		addStakeV2(account, ResourceCode.BANDWIDTH, 1_500_000n);
		expect(weightV2(account, ResourceCode.BANDWIDTH)).toBe(2n);
		expect(weightV2(account, ResourceCode.ENERGY)).toBe(0n);
	});

	test("for energy are own and received ones of both generations", () => {
		const account = Account.create({
			account_resource: AccountAccountResource.create({
				frozen_balance_for_energy: AccountFrozen.create({ frozen_balance: 1n }),
				acquired_delegated_frozen_balance_for_energy: 10n,
				acquired_delegated_frozenV2_balance_for_energy: 100n,
				delegated_frozenV2_balance_for_energy: 100_000n,
			}),
			frozenV2: [AccountFreezeV2.create({ type: ResourceCode.ENERGY, amount: 1000n })],
		});
		expect(resourceStake(account, "energy")).toBe(1111n);
		expect(ownStakeV1(account, ResourceCode.ENERGY)).toBe(1n);
	});

	test("given to others are kept by resource, generation and side", () => {
		const account = new Account();
		addDelegation(account, "delegated", "frozen", "energy", 3n);
		addDelegation(account, "acquired_delegated", "frozenV2", "bandwidth", 4n);
		addDelegation(account, "acquired_delegated", "frozenV2", "bandwidth", -1n);
		expect(account.account_resource?.delegated_frozen_balance_for_energy).toBe(3n);
		expect(account.acquired_delegated_frozenV2_balance_for_bandwidth).toBe(3n);
		expect(delegation(account, "delegated", "frozenV2", "energy")).toBe(0n);
	});

	test("that wait for their delay are told from those whose time has come", () => {
		const entry = (unfreeze_amount: bigint, unfreeze_expire_time: bigint) =>
			AccountUnFreezeV2.create({ unfreeze_amount, unfreeze_expire_time });
		const { waiting, expiredSun } = splitUnstaking([entry(1n, 10n), entry(2n, 11n), entry(4n, 9n)], 10n);
		expect(expiredSun).toBe(5n);
		expect(waiting.map((each) => each.unfreeze_amount)).toEqual([2n]);
	});
});

test.each([
	[0n, -5n],
	[1n, 0n],
])("with the new reward rules at %d a total weight that falls below zero becomes %d", (rule, total) => {
	state.properties.set("ALLOW_NEW_REWARD", rule);
	addTotalWeight(state.properties, ResourceCode.COIN_POWER, -5n);
	expect(state.properties.get("TOTAL_COIN_POWER_WEIGHT")).toBe(total);
});

describe("taking a delegation back", () => {
	const receiver = address(7);
	beforeEach(() => {
		setHead(state, 100n, GENESIS_MS + 14_400n * 3000n);
		state.properties.set("TOTAL_NET_LIMIT", NET_LIMIT);
		state.properties.set("TOTAL_NET_WEIGHT", 2000n);
	});

	test("moves the stake's share of the present usage", () => {
		state.account.put(
			receiver,
			Account.create({
				address: receiver,
				net_usage: 1_000_000_000n,
				acquired_delegated_frozenV2_balance_for_bandwidth: 2_000_000_000n,
			}),
		);
		const taken = takeFromReceiver(state, receiver, "bandwidth", 1_000_000_000n, chainStakes.mostUsage);
		expect(taken?.movedUsage).toBe(250_000_000n);
		expect(state.account.get(receiver)).toMatchObject({
			net_usage: 250_000_000n,
			latest_consume_time: 14_400n,
			net_window_size: 14_400_000n,
			acquired_delegated_frozenV2_balance_for_bandwidth: 1_000_000_000n,
		});
	});

	test("moves nothing if the receiver holds less than it was given", () => {
		state.account.put(
			receiver,
			Account.create({
				address: receiver,
				net_usage: 1000n,
				latest_consume_time: 14_400n,
				acquired_delegated_frozenV2_balance_for_bandwidth: 5n,
			}),
		);
		expect(takeFromReceiver(state, receiver, "bandwidth", 6n, chainStakes.mostUsage)?.movedUsage).toBe(0n);
		expect(state.account.get(receiver)).toMatchObject({
			net_usage: 1000n,
			acquired_delegated_frozenV2_balance_for_bandwidth: 0n,
		});
	});

	test("does without a receiver that is gone", () => {
		expect(takeFromReceiver(state, receiver, "energy", 6n, chainStakes.mostUsage)).toBeUndefined();
	});
});
