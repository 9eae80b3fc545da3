/**
 * State changes of staking operations once they are validated (protocol/staking §§4 and 5): the same for transactions and
 * contract code, except for {@link StakeRules}. Amounts in sun; the caller writes the owner records it passes in.
 */

import { fromDouble, minInt, SUN_PER_COIN, toDouble, wrap } from "../../protocol/int64.js";
import {
	Account,
	AccountFrozen,
	AccountUnFreezeV2,
	DelegatedResource,
	ResourceCode,
} from "../../protocol/messages.js";
import type { Properties } from "../state/properties.js";
import type { StateView } from "../state/view.js";
import * as pair from "./delegated-resource.js";
import { indexDelegationV2, unindexDelegationV2 } from "./delegation-index.js";
import * as stakes from "./stake.js";
import { addDelegation, delegation, resourceStake, setDelegation } from "./stake.js";
import { chainRewards, machineRewards, type RewardRules, withdrawReward } from "./vote-rewards.js";
import { initializeOldPower, invalidateOldPower, shrinkVotes } from "./votes.js";
import {
	accountIncrease,
	editEnergy,
	mergeUsage,
	type Resource,
	resourceUsage,
	setResourceUsage,
} from "./window.js";

/** Differences between transactions and contract code. */
interface StakeRules {
	readonly rewards: RewardRules;
	/** Adds coins to the total weight of a resource code. */
	addWeight(properties: Properties, code: number, coins: bigint): void;
	/** Maximum usage that a stake can account for. The order of roundings differs. */
	mostUsage(state: StateView, resource: Resource, stakeSun: bigint): bigint;
	/** Writes a pair's unlocked record after something was taken from it. */
	putUnlocked(state: StateView, record: DelegatedResource, from: Uint8Array, to: Uint8Array): void;
}

export const chainStakes: StakeRules = {
	rewards: chainRewards,
	addWeight: stakes.addTotalWeight,
	mostUsage: (state, resource, stakeSun) => {
		const { limit, weight } = stakes.resourceTotals(state.properties, resource);
		return fromDouble((toDouble(stakeSun) / 1_000_000) * (toDouble(limit) / toDouble(weight)));
	},
	putUnlocked: (state, record, from, to) => {
		const key = pair.delegationKeyV2(from, to, false);
		if (!pair.isSpent(record)) return void state.delegatedResource.put(key, record);
		state.delegatedResource.delete(key);
		const locked = pair.delegationKeyV2(from, to, true);
		if (!state.delegatedResource.has(locked)) unindexDelegationV2(state, from, to);
	},
};

export const machineStakes: StakeRules = {
	rewards: machineRewards,
	addWeight: (properties, code, coins) => {
		if (code === ResourceCode.BANDWIDTH) properties.add("TOTAL_NET_WEIGHT", coins);
		else if (code === ResourceCode.ENERGY) properties.add("TOTAL_ENERGY_WEIGHT", coins);
		else properties.add("TOTAL_COIN_POWER_WEIGHT", coins);
	},
	mostUsage: (state, resource, stakeSun) => {
		const { limit, weight } = stakes.resourceTotals(state.properties, resource);
		return fromDouble(((toDouble(stakeSun) / 1_000_000) * toDouble(limit)) / toDouble(weight));
	},
	putUnlocked: (state, record, from, to) => {
		state.delegatedResource.put(pair.delegationKeyV2(from, to, false), record);
		if (pair.isSpent(record)) unindexDelegationV2(state, from, to);
	},
};

/** Changes a Stake 2.0 stake, and the total weight it counts towards. */
export function changeStake(
	{ properties }: StateView,
	rules: StakeRules,
	owner: Account,
	{ code, amount }: { readonly code: number; readonly amount: bigint },
): void {
	const before = stakes.weightV2(owner, code);
	stakes.addStakeV2(owner, code, amount);
	rules.addWeight(properties, code, stakes.weightV2(owner, code) - before);
}

/** A part of an account's coins. */
interface Staking {
	readonly address: Uint8Array;
	readonly code: number;
	readonly amount: bigint;
}

/** Stakes coins of an account. */
export function stake(state: StateView, rules: StakeRules, part: Staking): void {
	const owner = Account.copy(state.account.existing(part.address));
	initializeOldPower(state.properties, owner);
	changeStake(state, rules, owner, part);
	owner.balance = wrap(owner.balance - part.amount);
	state.account.put(part.address, owner);
}

interface Unstaking extends Staking {
	readonly delayMs: bigint;
	/** Whether votes shrink with the stake. */
	readonly shrinks: boolean;
}

/** Unstakes coins, and pays out earlier unstakes that have expired. @returns the amount paid out */
export function unstake(state: StateView, rules: StakeRules, part: Unstaking): bigint {
	const { properties } = state;
	const { address, code, amount, delayMs, shrinks } = part;
	const now = properties.headTimestampMs;
	withdrawReward(state, address, rules.rewards);
	const owner = Account.copy(state.account.existing(address));
	const { waiting, expiredSun } = stakes.splitUnstaking(owner.unfrozenV2, now);
	owner.balance = wrap(owner.balance + expiredSun);
	initializeOldPower(properties, owner);
	const entry = { type: code, unfreeze_amount: amount, unfreeze_expire_time: wrap(now + delayMs) };
	owner.unfrozenV2 = [...waiting, AccountUnFreezeV2.create(entry)];
	changeStake(state, rules, owner, { code, amount: -amount });
	if (shrinks) shrinkVotes(state, owner, code);
	invalidateOldPower(properties, owner);
	state.account.put(address, owner);
	return expiredSun;
}

/** A stake delegated from one account to another. */
interface Delegation {
	readonly from: Uint8Array;
	readonly to: Uint8Array;
	readonly resource: Resource;
	readonly amount: bigint;
}

/** Delegates a stake. @param untilMs when the lock ends, if it is locked */
export function lend(state: StateView, given: Delegation, locked = false, untilMs = 0n): void {
	const { from, to, resource, amount } = given;
	const key = pair.delegationKeyV2(from, to, locked);
	const record = pair.editDelegation(state, key, from, to);
	pair.addDelegated(record, resource, amount, untilMs);
	state.delegatedResource.put(key, record);
	indexDelegationV2(state, from, to);
	const receiver = Account.copy(state.account.existing(to));
	stakes.addDelegation(receiver, "acquired_delegated", "frozenV2", resource, amount);
	state.account.put(to, receiver);
	const owner = Account.copy(state.account.existing(from));
	stakes.addDelegation(owner, "delegated", "frozenV2", resource, amount);
	stakes.addStakeV2(owner, stakes.codeOf(resource), -amount);
	state.account.put(from, owner);
}

/** Reclaims a delegated stake, with its share of the usage. */
export function takeBack(state: StateView, rules: StakeRules, given: Delegation): void {
	const { properties } = state;
	const { from, to, resource, amount } = given;
	const taken = takeFromReceiver(state, to, resource, amount, rules.mostUsage);
	const stored = state.delegatedResource.get(pair.delegationKeyV2(from, to, false));
	const record = DelegatedResource.copy(stored as Readonly<DelegatedResource>);
	pair.addDelegated(record, resource, -amount, 0n);
	rules.putUnlocked(state, record, from, to);
	const owner = Account.copy(state.account.existing(from));
	stakes.addDelegation(owner, "delegated", "frozenV2", resource, -amount);
	stakes.addStakeV2(owner, stakes.codeOf(resource), amount);
	if (taken && taken.movedUsage > 0n) {
		mergeUsage(properties, owner, taken.receiver, taken.movedUsage, resource, properties.headSlot);
	}
	state.account.put(from, owner);
}

/** Result of a change to a Stake 1.0 stake. */
export interface StakeChange {
	/** Absolute change in sun. */
	readonly amount: bigint;
	/** Change in whole coins. */
	readonly coins: bigint;
}

/** Adds to the owner's Stake 1.0 stake; the new expiry applies to the total. */
export function addStakeV1(owner: Account, code: number, amount: bigint, expireMs: bigint): StakeChange {
	const before = stakes.ownStakeV1(owner, code);
	const frozen = AccountFrozen.create({ frozen_balance: wrap(before + amount), expire_time: expireMs });
	if (code === ResourceCode.BANDWIDTH) owner.frozen = [frozen];
	else if (code === ResourceCode.ENERGY) editEnergy(owner).frozen_balance_for_energy = frozen;
	else owner.coin_power = frozen;
	return { amount, coins: frozen.frozen_balance / SUN_PER_COIN - before / SUN_PER_COIN };
}

/** Removes the expired part of the owner's Stake 1.0 stake. */
export function endStakeV1(owner: Account, code: number, nowMs: bigint): StakeChange {
	const before = stakes.ownStakeV1(owner, code);
	if (code === ResourceCode.BANDWIDTH) owner.frozen = owner.frozen.filter((one) => one.expire_time > nowMs);
	else if (code === ResourceCode.ENERGY) editEnergy(owner).frozen_balance_for_energy = undefined;
	else owner.coin_power = undefined;
	const after = stakes.ownStakeV1(owner, code);
	return { amount: wrap(before - after), coins: after / SUN_PER_COIN - before / SUN_PER_COIN };
}

/** Delegates a new Stake 1.0 stake of the owner, which is `from`, to another account. */
export function lendV1(state: StateView, owner: Account, given: Delegation, expireMs: bigint): StakeChange {
	const { from, to, resource, amount } = given;
	const key = pair.delegationKeyV1(from, to);
	const record = pair.editDelegation(state, key, from, to);
	pair.addDelegated(record, resource, amount, expireMs);
	state.delegatedResource.put(key, record);
	const receiver = Account.copy(state.account.existing(to));
	const before = stakes.delegation(receiver, "acquired_delegated", "frozen", resource);
	stakes.addDelegation(receiver, "acquired_delegated", "frozen", resource, amount);
	state.account.put(to, receiver);
	stakes.addDelegation(owner, "delegated", "frozen", resource, amount);
	return { amount, coins: wrap(before + amount) / SUN_PER_COIN - before / SUN_PER_COIN };
}

/** The pair's Stake 1.0 record after all of a resource is reclaimed; the caller writes it. */
export function takeBackV1(
	owner: Account,
	stored: Readonly<DelegatedResource>,
	resource: Resource,
): DelegatedResource {
	const amount = pair.delegatedAmount(stored, resource);
	const record = DelegatedResource.copy(stored);
	pair.addDelegated(record, resource, -amount, 0n);
	stakes.addDelegation(owner, "delegated", "frozen", resource, -amount);
	return record;
}

/** What was taken: the receiver as written, with its window updated to now, and the usage to move. */
interface TakenDelegation {
	readonly receiver: Readonly<Account>;
	readonly movedUsage: bigint;
}

/**
 * Reduces a receiver's Stake 2.0 delegation and writes the receiver (protocol/staking §5.5).
 * @param mostUsage maximum usage that a stake can account for
 * @returns undefined if the receiver no longer exists
 */
export function takeFromReceiver(
	state: StateView,
	address: Uint8Array,
	resource: Resource,
	amountSun: bigint,
	mostUsage: (state: StateView, resource: Resource, stakeSun: bigint) => bigint,
): TakenDelegation | undefined {
	const { properties } = state;
	const now = properties.headSlot;
	const stored = state.account.get(address);
	if (!stored) return undefined;
	const receiver = Account.copy(stored);
	const { usage, lastSlot } = resourceUsage(receiver, resource);
	const present = accountIncrease(properties, receiver, resource, usage, 0n, lastSlot, now);
	let moved = 0n;
	// A contract that was destroyed and recreated may hold less than was delegated to it.
	if (delegation(receiver, "acquired_delegated", "frozenV2", resource) < amountSun) {
		setDelegation(receiver, "acquired_delegated", "frozenV2", resource, 0n);
	} else {
		const stake = resourceStake(receiver, resource);
		const share = fromDouble(toDouble(present) * (toDouble(amountSun) / toDouble(stake)));
		moved = minInt(mostUsage(state, resource, amountSun), share);
		addDelegation(receiver, "acquired_delegated", "frozenV2", resource, -amountSun);
	}
	setResourceUsage(receiver, resource, wrap(present - moved), now);
	state.account.put(address, receiver);
	return { receiver, movedUsage: moved };
}
