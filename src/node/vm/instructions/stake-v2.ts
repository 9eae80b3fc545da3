/** Stakes of the second generation from inside a contract (protocol/network-operations §4). Amounts in sun. */

import { isAddress } from "../../../protocol/address.js";
import { equalBytes } from "../../../protocol/bytes.js";
import { fromDouble, MAX_INT64, SUN_PER_COIN, toDouble, wrap } from "../../../protocol/int64.js";
import {
	Account,
	AccountType,
	AccountUnFreezeV2,
	DelegatedResource,
	ResourceCode,
} from "../../../protocol/messages.js";
import { delegableStake } from "../../resources/delegable.js";
import {
	addDelegated,
	delegatedAmount,
	delegationKeyV2,
	editDelegation,
	isSpent,
} from "../../resources/delegated-resource.js";
import { indexDelegationV2, unindexDelegationV2 } from "../../resources/delegation-index.js";
import {
	addDelegation,
	addStakeV2,
	delegation,
	MAX_UNSTAKING_ENTRIES,
	resourceOf,
	splitUnstaking,
	unstakingDelayMs,
	weightV2,
} from "../../resources/stake.js";
import { takeFromReceiver } from "../../resources/undelegation.js";
import { machineRewards, withdrawReward } from "../../resources/vote-rewards.js";
import { shrinkVotes } from "../../resources/votes.js";
import { initializeOldPower, invalidateOldPower } from "../../resources/voting-power.js";
import { mergeUsage, type Resource } from "../../resources/window.js";
import type { StateView } from "../../state/view.js";
import { toAddress } from "../addresses.js";
import { attempt, note, readAmount, require, requireWritable, resourceCodeV2 } from "../attempt.js";
import type { Frame } from "../frame.js";
import { resourceNote } from "../internal-transactions.js";
import type { Machine } from "../machine.js";
import { outOfTime } from "../vm-error.js";
import { low32, low64, toWord } from "../word.js";

/** Changes a stake of a record that the caller writes, and the total that it is part of. */
function changeStake(state: StateView, owner: Account, code: number, delta: bigint): void {
	const before = weightV2(owner, code);
	addStakeV2(owner, code, delta);
	const coins = weightV2(owner, code) - before;
	if (code === ResourceCode.BANDWIDTH) state.properties.add("TOTAL_NET_WEIGHT", coins);
	else if (code === ResourceCode.ENERGY) state.properties.add("TOTAL_ENERGY_WEIGHT", coins);
	else state.properties.add("TOTAL_COIN_POWER_WEIGHT", coins);
}

/** @throws {AttemptFailed} unless stakes for this code exist under the rules */
function requireStakeCode(frame: Frame, code: number): void {
	const power = code === ResourceCode.COIN_POWER && frame.machine.gates.newResourceModel;
	require(resourceOf(code) !== undefined || power);
}

/** @throws {VmError} from block version 37 on, if an account lends less than nothing */
function checkDelegated({ gates }: Machine, account: Readonly<Account>): void {
	if (!gates.endsOddStakes) return;
	const lendsDebt = (resource: Resource): boolean =>
		delegation(account, "delegated", "frozenV2", resource) < 0n;
	if (lendsDebt("bandwidth") || lendsDebt("energy")) {
		throw outOfTime("CPU timeout for invalid delegated V2 balance");
	}
}

export function freezeBalanceV2(frame: Frame): void {
	requireWritable(frame);
	const { machine, context } = frame;
	const { state } = machine;
	const resourceWord = frame.pop();
	const amountWord = frame.pop();
	attempt(frame, () => {
		const name = `freezeBalanceV2For${resourceNote(low32(resourceWord))}`;
		note(frame, context.address, name, { value: low64(amountWord) });
		const amount = readAmount(amountWord);
		const code = resourceCodeV2(resourceWord);
		const owner = Account.copy(state.account.existing(context.address));
		require(amount > 0n && amount >= SUN_PER_COIN && amount <= owner.balance);
		requireStakeCode(frame, code);
		if (machine.gates.endsOddStakes && machine.ended.has(context.address)) {
			throw outOfTime("CPU timeout for FreezeBalanceV2 after SELFDESTRUCT");
		}
		initializeOldPower(state.properties, owner);
		changeStake(state, owner, code, amount);
		owner.balance = wrap(owner.balance - amount);
		state.account.put(context.address, owner);
		return 1;
	});
}

export function unfreezeBalanceV2(frame: Frame): void {
	requireWritable(frame);
	const { machine, context } = frame;
	const { state, gates } = machine;
	const { properties } = state;
	const resourceWord = frame.pop();
	const amountWord = frame.pop();
	attempt(frame, () => {
		const name = `unfreezeBalanceV2For${resourceNote(low32(resourceWord))}`;
		note(frame, context.address, name, { value: low64(amountWord) });
		const amount = readAmount(amountWord);
		const code = resourceCodeV2(resourceWord);
		const now = properties.headTimestampMs;
		const before = state.account.existing(context.address);
		require(splitUnstaking(before.unfrozenV2, now).waiting.length < MAX_UNSTAKING_ENTRIES);
		requireStakeCode(frame, code);
		const stake = before.frozenV2.find((entry) => entry.type === code && entry.amount > 0n);
		require(stake !== undefined && amount > 0n && amount <= stake.amount);
		checkDelegated(machine, before);

		withdrawReward(state, context.address, machineRewards);
		const owner = Account.copy(state.account.existing(context.address));
		const { waiting, expiredSun } = splitUnstaking(owner.unfrozenV2, now);
		owner.balance = wrap(owner.balance + expiredSun);
		initializeOldPower(properties, owner);
		const entry = AccountUnFreezeV2.create({
			type: code,
			unfreeze_amount: amount,
			unfreeze_expire_time: wrap(
				now + unstakingDelayMs(properties, machine.options.rules.development?.unstakeDelayMs),
			),
		});
		owner.unfrozenV2 = [...waiting, entry];
		changeStake(state, owner, code, -amount);
		if (gates.vote) shrinkVotes(state, owner, code);
		invalidateOldPower(properties, owner);
		state.account.put(context.address, owner);
		if (expiredSun > 0n) {
			note(frame, context.address, "withdrawExpireUnfreezeWhileUnfreezing", { value: expiredSun });
		}
		return 1;
	});
}

export function cancelAllUnfreezeV2(frame: Frame): void {
	requireWritable(frame);
	const { machine, context } = frame;
	const { state } = machine;
	attempt(frame, () => {
		const record = note(frame, context.address, "cancelAllUnfreezeV2", { value: 0n });
		const now = state.properties.headTimestampMs;
		const owner = Account.copy(state.account.existing(context.address));
		checkDelegated(machine, owner);
		const restored = new Map<number, bigint>();
		let paid = 0n;
		for (const { type, unfreeze_amount: amount, unfreeze_expire_time: expireMs } of owner.unfrozenV2) {
			if (expireMs > now) {
				changeStake(state, owner, type, amount);
				restored.set(type, wrap((restored.get(type) ?? 0n) + amount));
			} else paid = wrap(paid + amount);
		}
		owner.unfrozenV2 = [];
		owner.balance = wrap(owner.balance + paid);
		state.account.put(context.address, owner);
		if (machine.options.saveCancelDetails) {
			const of = (code: number): bigint => restored.get(code) ?? 0n;
			record.extra = `{"BANDWIDTH":${of(ResourceCode.BANDWIDTH)},"ENERGY":${of(ResourceCode.ENERGY)},"COIN_POWER":${of(ResourceCode.COIN_POWER)}}`;
		}
		if (paid > 0n) {
			note(frame, context.address, "withdrawExpireUnfreezeWhileCanceling", { value: paid });
		}
		return 1;
	});
}

export function withdrawExpireUnfreeze(frame: Frame): void {
	requireWritable(frame);
	const { machine, context } = frame;
	const { state } = machine;
	attempt(frame, () => {
		const record = note(frame, context.address, "withdrawExpireUnfreeze", { value: 0n });
		const owner = Account.copy(state.account.existing(context.address));
		const { waiting, expiredSun } = splitUnstaking(owner.unfrozenV2, state.properties.headTimestampMs);
		require(owner.balance + expiredSun <= MAX_INT64);
		checkDelegated(machine, owner);
		if (expiredSun <= 0n) return 0;
		owner.balance += expiredSun;
		owner.unfrozenV2 = waiting;
		state.account.put(context.address, owner);
		record.value = expiredSun;
		return toWord(expiredSun);
	});
}

export function delegateResource(frame: Frame): void {
	requireWritable(frame);
	const { machine, context } = frame;
	const { state } = machine;
	const { properties } = state;
	const resourceWord = frame.pop();
	const amountWord = frame.pop();
	const to = toAddress(frame.pop());
	attempt(frame, () => {
		const name = `delegateResourceOf${resourceNote(low32(resourceWord))}`;
		note(frame, to, name, { value: low64(amountWord) });
		const amount = readAmount(amountWord);
		const from = context.address;
		require(properties.on("ALLOW_DELEGATE_RESOURCE") && amount >= SUN_PER_COIN);
		const code = resourceCodeV2(resourceWord);
		const resource = resourceOf(code);
		require(resource !== undefined);
		require(delegableStake(properties, state.account.existing(from), resource) >= amount);
		require(isAddress(to) && !equalBytes(to, from));
		const stored = state.account.get(to);
		require(stored !== undefined && stored.type !== AccountType.Contract);

		const key = delegationKeyV2(from, to, false);
		const record = editDelegation(state, key, from, to);
		addDelegated(record, resource, amount, 0n);
		state.delegatedResource.put(key, record);
		indexDelegationV2(state, from, to);
		const receiver = Account.copy(stored);
		addDelegation(receiver, "acquired_delegated", "frozenV2", resource, amount);
		state.account.put(to, receiver);
		const owner = Account.copy(state.account.existing(from));
		addDelegation(owner, "delegated", "frozenV2", resource, amount);
		addStakeV2(owner, code, -amount);
		state.account.put(from, owner);
		return 1;
	});
}

export function undelegateResource(frame: Frame): void {
	requireWritable(frame);
	const { machine, context } = frame;
	const { state } = machine;
	const { properties } = state;
	const resourceWord = frame.pop();
	const amountWord = frame.pop();
	const to = toAddress(frame.pop());
	attempt(frame, () => {
		const name = `unDelegateResourceOf${resourceNote(low32(resourceWord))}`;
		note(frame, to, name, { value: low64(amountWord) });
		const amount = readAmount(amountWord);
		const from = context.address;
		require(properties.on("ALLOW_DELEGATE_RESOURCE"));
		require(isAddress(to) && !equalBytes(to, from));
		const key = delegationKeyV2(from, to, false);
		const stored = state.delegatedResource.get(key);
		require(stored !== undefined && amount > 0n);
		const code = resourceCodeV2(resourceWord);
		const resource = resourceOf(code);
		require(resource !== undefined && delegatedAmount(stored, resource) >= amount);

		const taken = takeFromReceiver(state, to, resource, amount, givenBy);
		const record = DelegatedResource.copy(stored);
		addDelegated(record, resource, -amount, 0n);
		state.delegatedResource.put(key, record);
		if (isSpent(record)) unindexDelegationV2(state, from, to);
		const owner = Account.copy(state.account.existing(from));
		addDelegation(owner, "delegated", "frozenV2", resource, -amount);
		addStakeV2(owner, code, amount);
		if (taken && taken.movedUsage > 0n) {
			mergeUsage(properties, owner, taken.receiver, taken.movedUsage, resource, properties.headSlot);
		}
		state.account.put(from, owner);
		return 1;
	});
}

/** The most usage that a stake stands for. The order of the roundings differs from that of the transaction type. */
function givenBy(state: StateView, resource: Resource, stakeSun: bigint): bigint {
	const { properties } = state;
	const [limit, weight] =
		resource === "bandwidth"
			? (["TOTAL_NET_LIMIT", "TOTAL_NET_WEIGHT"] as const)
			: (["TOTAL_ENERGY_CURRENT_LIMIT", "TOTAL_ENERGY_WEIGHT"] as const);
	const coins = toDouble(stakeSun) / 1_000_000;
	return fromDouble((coins * toDouble(properties.get(limit))) / toDouble(properties.get(weight)));
}
