/** Stake 1.0 operations (protocol/network-operations §3). Amounts in sun. */

import { equalBytes } from "../../../protocol/bytes.js";
import { maxInt, SUN_PER_COIN, wrap } from "../../../protocol/int64.js";
import { Account, AccountType } from "../../../protocol/messages.js";
import { delegatedAmount, delegationExpiryMs, delegationKeyV1 } from "../../resources/delegated-resource.js";
import { codeOf, DAY_MS, delegation, resourceOf, setDelegation } from "../../resources/stake.js";
import { addStakeV1, endStakeV1, lendV1, takeBackV1 } from "../../resources/stake-effects.js";
import { machineRewards, withdrawReward } from "../../resources/vote-rewards.js";
import { replaceVotes, resourcePower } from "../../resources/votes.js";
import type { Resource } from "../../resources/window.js";
import type { StateView } from "../../state/view.js";
import { toAddress } from "../addresses.js";
import { attempt, note, readAmountOperand, require, requireWritable, resourceCodeV1 } from "../attempt.js";
import { NEW_ACCOUNT_COST } from "../calls.js";
import type { Frame } from "../frame.js";
import { resourceNote } from "../internal-transactions.js";
import type { Machine } from "../machine.js";
import { createIfMissing } from "../transfers.js";
import { low64, toWord } from "../word.js";

const FREEZE_COST = 20_000;

export function freezeCost(frame: Frame): number {
	const exists = frame.machine.state.account.has(toAddress(frame.peek(2)));
	return FREEZE_COST + (exists ? 0 : NEW_ACCOUNT_COST);
}

/** Adds to the total weight of a resource's stakes. */
function addWeight(state: StateView, resource: Resource, coins: bigint): void {
	state.properties.add(resource === "bandwidth" ? "TOTAL_NET_WEIGHT" : "TOTAL_ENERGY_WEIGHT", coins);
}

export function freeze(frame: Frame): void {
	const { machine, context } = frame;
	const { gates, state } = machine;
	if (gates.vote) requireWritable(frame);
	const resourceWord = frame.pop();
	const amountWord = frame.pop();
	const receiver = toAddress(frame.pop());
	if (gates.freezeV2) {
		frame.push(0);
		return;
	}
	const code = resourceCodeV1(resourceWord);
	attempt(frame, () => {
		note(frame, receiver, `freezeFor${resourceNote(code)}`, { value: low64(amountWord) });
		const amount = readAmountOperand(amountWord);
		const owner = Account.copy(state.account.existing(context.address));
		require(amount > 0n && amount >= SUN_PER_COIN && amount <= owner.balance);
		require(owner.frozen.length <= 1);
		const resource = resourceOf(code);
		require(resource !== undefined);
		const expireMs = wrap(
			state.properties.headTimestampMs + BigInt(state.properties.get("MIN_FROZEN_TIME")) * DAY_MS,
		);
		owner.balance = wrap(owner.balance - amount);
		if (equalBytes(receiver, context.address)) addStakeV1(owner, code, amount, expireMs);
		else {
			createIfMissing(state, receiver);
			require(state.account.existing(receiver).type !== AccountType.Contract);
			lendV1(state, owner, { from: owner.address, to: receiver, resource, amount }, expireMs);
		}
		state.account.put(context.address, owner);
		addWeight(state, resource, amount / SUN_PER_COIN);
		return 1;
	});
}

export function unfreeze(frame: Frame): void {
	const { machine, context } = frame;
	const { gates, state } = machine;
	if (gates.vote) requireWritable(frame);
	const code = resourceCodeV1(frame.pop());
	const receiver = toAddress(frame.pop());
	attempt(frame, () => {
		const record = note(frame, receiver, `unfreezeFor${resourceNote(code)}`, { value: 0n });
		const resource = resourceOf(code);
		require(resource !== undefined);
		const owner = Account.copy(state.account.existing(context.address));
		const amount = equalBytes(receiver, context.address)
			? unfreezeOwn(state, owner, resource)
			: unfreezeFor(state, owner, receiver, resource);
		owner.balance = wrap(owner.balance + amount);
		state.account.put(context.address, owner);
		addWeight(state, resource, -(amount / SUN_PER_COIN));
		if (gates.vote) dropUncoveredVotes(machine, context.address);
		record.value = amount;
		return 1;
	});
}

/** Removes expired own stakes from the owner's record. @returns their sum */
function unfreezeOwn(state: StateView, owner: Account, resource: Resource): bigint {
	const now = state.properties.headTimestampMs;
	const energy = owner.account_resource?.frozen_balance_for_energy;
	require(
		resource === "bandwidth"
			? owner.frozen.some((entry) => entry.expire_time <= now)
			: energy !== undefined && energy.frozen_balance > 0n && energy.expire_time <= now,
	);
	return endStakeV1(owner, codeOf(resource), now).amount;
}

/** Reclaims an expired delegation; its record stays, with zeros. @returns its amount */
function unfreezeFor(
	state: StateView,
	owner: Account,
	receiverAddress: Uint8Array,
	resource: Resource,
): bigint {
	const key = delegationKeyV1(owner.address, receiverAddress);
	const stored = state.delegatedResource.get(key);
	require(stored !== undefined);
	const amount = delegatedAmount(stored, resource);
	require(amount > 0n && delegationExpiryMs(stored, resource) <= state.properties.headTimestampMs);
	state.delegatedResource.put(key, takeBackV1(owner, stored, resource));
	const held = state.account.get(receiverAddress);
	if (held) {
		const receiver = Account.copy(held);
		const acquired = delegation(receiver, "acquired_delegated", "frozen", resource);
		setDelegation(receiver, "acquired_delegated", "frozen", resource, maxInt(0n, wrap(acquired - amount)));
		state.account.put(receiverAddress, receiver);
	}
	return amount;
}

/** Clears all of a contract's votes if its power no longer covers them. */
function dropUncoveredVotes({ state }: Machine, address: Uint8Array): void {
	const before = state.account.existing(address);
	if (before.votes.length === 0) return;
	const used = wrap(before.votes.reduce((sum, vote) => sum + vote.vote_count, 0n) * SUN_PER_COIN);
	if (resourcePower(before) >= used) return;
	withdrawReward(state, address, machineRewards);
	const owner = Account.copy(state.account.existing(address));
	replaceVotes(state, owner, []);
	state.account.put(address, owner);
}

/** Time at which a stake of the contract can be reclaimed, in seconds; 0 if there is none. */
export function freezeExpireTime(frame: Frame): void {
	const { machine, context } = frame;
	const { state } = machine;
	const code = resourceCodeV1(frame.pop());
	const target = toAddress(frame.pop());
	const resource = resourceOf(code);
	frame.push(resource ? toWord(expiryMs(state, context.address, target, resource) / 1000n) : 0);
}

function expiryMs(state: StateView, owner: Uint8Array, target: Uint8Array, resource: Resource): bigint {
	if (equalBytes(owner, target)) {
		const account = state.account.existing(owner);
		const stake =
			resource === "bandwidth" ? account.frozen[0] : account.account_resource?.frozen_balance_for_energy;
		return stake && stake.frozen_balance !== 0n ? stake.expire_time : 0n;
	}
	const record = state.delegatedResource.get(delegationKeyV1(owner, target));
	return record && delegatedAmount(record, resource) !== 0n ? delegationExpiryMs(record, resource) : 0n;
}
