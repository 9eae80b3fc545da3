/**
 * What staking, unstaking, lending and taking back do to the state (protocol/staking §§4.3, 4.4, 5.4 and 5.5), once their checks are
 * over: the same for transactions and from inside a contract, but for what {@link StakeRules} names. Amounts in sun.
 */

import { fromDouble, toDouble, wrap } from "../../protocol/int64.js";
import { Account, AccountUnFreezeV2, DelegatedResource, ResourceCode } from "../../protocol/messages.js";
import type { Properties } from "../state/properties.js";
import type { StateView } from "../state/view.js";
import {
	addDelegated,
	delegationKeyV2,
	editDelegation,
	isSpent,
	unlockExpired,
} from "./delegated-resource.js";
import { indexDelegationV2, unindexDelegationV2 } from "./delegation-index.js";
import {
	addDelegation,
	addStakeV2,
	addTotalWeight,
	codeOf,
	resourceTotals,
	splitUnstaking,
	weightV2,
} from "./stake.js";
import { takeFromReceiver } from "./undelegation.js";
import { chainRewards, machineRewards, type RewardRules, withdrawReward } from "./vote-rewards.js";
import { shrinkVotes } from "./votes.js";
import { initializeOldPower, invalidateOldPower } from "./voting-power.js";
import { mergeUsage, type Resource } from "./window.js";

/** What transactions and contracts do otherwise. */
interface StakeRules {
	readonly rewards: RewardRules;
	/** Adds coins to the total weight of a resource code. */
	addWeight(properties: Properties, code: number, coins: bigint): void;
	/** The most usage that a stake stands for. The order of the roundings differs. */
	mostUsage(state: StateView, resource: Resource, stakeSun: bigint): bigint;
	/** Before a pair's unlocked record is read. */
	unlock(state: StateView, from: Uint8Array, to: Uint8Array): void;
	/** Writes that record when something was taken out of it. */
	putUnlocked(state: StateView, record: DelegatedResource, from: Uint8Array, to: Uint8Array): void;
}

export const chainStakes: StakeRules = {
	rewards: chainRewards,
	addWeight: addTotalWeight,
	mostUsage: (state, resource, stakeSun) => {
		const { limit, weight } = resourceTotals(state.properties, resource);
		return fromDouble((toDouble(stakeSun) / 1_000_000) * (toDouble(limit) / toDouble(weight)));
	},
	unlock: (state, from, to) => unlockExpired(state, from, to, state.properties.headTimestampMs),
	putUnlocked: (state, record, from, to) => {
		const key = delegationKeyV2(from, to, false);
		if (!isSpent(record)) {
			state.delegatedResource.put(key, record);
			return;
		}
		state.delegatedResource.delete(key);
		if (!state.delegatedResource.has(delegationKeyV2(from, to, true))) unindexDelegationV2(state, from, to);
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
		const { limit, weight } = resourceTotals(state.properties, resource);
		return fromDouble(((toDouble(stakeSun) / 1_000_000) * toDouble(limit)) / toDouble(weight));
	},
	unlock: () => {},
	putUnlocked: (state, record, from, to) => {
		state.delegatedResource.put(delegationKeyV2(from, to, false), record);
		if (isSpent(record)) unindexDelegationV2(state, from, to);
	},
};

/** Changes a stake of a record that the caller writes, and the total that it is part of. */
export function changeStake(
	{ properties }: StateView,
	rules: StakeRules,
	owner: Account,
	code: number,
	delta: bigint,
): void {
	const before = weightV2(owner, code);
	addStakeV2(owner, code, delta);
	rules.addWeight(properties, code, weightV2(owner, code) - before);
}

/** Stakes coins of an account. */
export function stake(
	state: StateView,
	rules: StakeRules,
	address: Uint8Array,
	code: number,
	amount: bigint,
): void {
	const owner = Account.copy(state.account.existing(address));
	initializeOldPower(state.properties, owner);
	changeStake(state, rules, owner, code, amount);
	owner.balance = wrap(owner.balance - amount);
	state.account.put(address, owner);
}

/** A part of a stake that is to be unlocked. */
interface Unstaking {
	readonly code: number;
	readonly amount: bigint;
	/** How long it waits. */
	readonly delayMs: bigint;
	/** Whether votes follow the stake. */
	readonly shrinksVotes: boolean;
}

/** Unlocks coins of an account, and pays out what was unlocked before and has waited. @returns how much that was */
export function unstake(
	state: StateView,
	rules: StakeRules,
	address: Uint8Array,
	{ code, amount, delayMs, shrinksVotes }: Unstaking,
): bigint {
	const { properties } = state;
	const now = properties.headTimestampMs;
	withdrawReward(state, address, rules.rewards);
	const owner = Account.copy(state.account.existing(address));
	const { waiting, expiredSun } = splitUnstaking(owner.unfrozenV2, now);
	owner.balance = wrap(owner.balance + expiredSun);
	initializeOldPower(properties, owner);
	const entry = { type: code, unfreeze_amount: amount, unfreeze_expire_time: wrap(now + delayMs) };
	owner.unfrozenV2 = [...waiting, AccountUnFreezeV2.create(entry)];
	changeStake(state, rules, owner, code, -amount);
	if (shrinksVotes) shrinkVotes(state, owner, code);
	invalidateOldPower(properties, owner);
	state.account.put(address, owner);
	return expiredSun;
}

/** A part of a stake that goes from one account to another, or back. */
interface Delegation {
	readonly from: Uint8Array;
	readonly to: Uint8Array;
	readonly resource: Resource;
	readonly amount: bigint;
}

/** Lends a stake. @param lockedUntilMs 0: it isn't locked. @param locked whether it goes into the pair's locked record */
export function lend(
	state: StateView,
	{ from, to, resource, amount }: Delegation,
	locked = false,
	lockedUntilMs = 0n,
): void {
	const key = delegationKeyV2(from, to, locked);
	const record = editDelegation(state, key, from, to);
	addDelegated(record, resource, amount, lockedUntilMs);
	state.delegatedResource.put(key, record);
	indexDelegationV2(state, from, to);
	const receiver = Account.copy(state.account.existing(to));
	addDelegation(receiver, "acquired_delegated", "frozenV2", resource, amount);
	state.account.put(to, receiver);
	const owner = Account.copy(state.account.existing(from));
	addDelegation(owner, "delegated", "frozenV2", resource, amount);
	addStakeV2(owner, codeOf(resource), -amount);
	state.account.put(from, owner);
}

/** Takes a lent stake back, with its part of the usage. */
export function takeBack(
	state: StateView,
	rules: StakeRules,
	{ from, to, resource, amount }: Delegation,
): void {
	const { properties } = state;
	const taken = takeFromReceiver(state, to, resource, amount, rules.mostUsage);
	rules.unlock(state, from, to);
	const stored = state.delegatedResource.get(delegationKeyV2(from, to, false));
	const record = DelegatedResource.copy(stored as Readonly<DelegatedResource>);
	addDelegated(record, resource, -amount, 0n);
	rules.putUnlocked(state, record, from, to);
	const owner = Account.copy(state.account.existing(from));
	addDelegation(owner, "delegated", "frozenV2", resource, -amount);
	addStakeV2(owner, codeOf(resource), amount);
	if (taken && taken.movedUsage > 0n) {
		mergeUsage(properties, owner, taken.receiver, taken.movedUsage, resource, properties.headSlot);
	}
	state.account.put(from, owner);
}
