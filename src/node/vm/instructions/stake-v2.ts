/** Stake 2.0 operations (protocol/network-operations §4). Amounts in sun. */

import { isAddress } from "../../../protocol/address.js";
import { equalBytes } from "../../../protocol/bytes.js";
import { MAX_INT64, SUN_PER_COIN, wrap } from "../../../protocol/int64.js";
import { Account, AccountType, ResourceCode } from "../../../protocol/messages.js";
import { delegableStake } from "../../resources/delegable.js";
import { delegatedAmount, delegationKeyV2 } from "../../resources/delegated-resource.js";
import {
	delegation,
	MAX_UNSTAKING_ENTRIES,
	resourceOf,
	splitUnstaking,
	unstakingDelayMs,
} from "../../resources/stake.js";
import { changeStake, lend, machineStakes, stake, takeBack, unstake } from "../../resources/stake-effects.js";
import type { Resource } from "../../resources/window.js";
import { toAddress } from "../addresses.js";
import { attempt, note, readAmountOperand, require, requireWritable, resourceCodeV2 } from "../attempt.js";
import type { Frame } from "../frame.js";
import { resourceNote } from "../internal-transactions.js";
import type { Machine } from "../machine.js";
import { outOfTime } from "../vm-error.js";
import { low32, low64, toWord } from "../word.js";

/** @throws {AttemptFailed} unless stakes for this code exist under the rules */
function requireStakeCode(frame: Frame, code: number): void {
	const power = code === ResourceCode.COIN_POWER && frame.machine.gates.newResourceModel;
	require(resourceOf(code) !== undefined || power);
}

/** @throws {VmError} from block version 37 on, if a delegated amount is negative */
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
		const amount = readAmountOperand(amountWord);
		const code = resourceCodeV2(resourceWord);
		const { balance } = state.account.existing(context.address);
		require(amount > 0n && amount >= SUN_PER_COIN && amount <= balance);
		requireStakeCode(frame, code);
		if (machine.gates.endsOddStakes && machine.ended.has(context.address)) {
			throw outOfTime("CPU timeout for FreezeBalanceV2 after SELFDESTRUCT");
		}
		stake(state, machineStakes, { address: context.address, code, amount });
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
		const amount = readAmountOperand(amountWord);
		const code = resourceCodeV2(resourceWord);
		const before = state.account.existing(context.address);
		require(
			splitUnstaking(before.unfrozenV2, properties.headTimestampMs).waiting.length < MAX_UNSTAKING_ENTRIES,
		);
		requireStakeCode(frame, code);
		const staked = before.frozenV2.find((entry) => entry.type === code && entry.amount > 0n);
		require(staked !== undefined && amount > 0n && amount <= staked.amount);
		checkDelegated(machine, before);

		const delayMs = unstakingDelayMs(properties, machine.options.rules.development?.unstakeDelayMs);
		const part = { address: context.address, code, amount, delayMs, shrinks: gates.vote };
		const expiredSun = unstake(state, machineStakes, part);
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
				changeStake(state, machineStakes, owner, { code: type, amount });
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
		const amount = readAmountOperand(amountWord);
		const from = context.address;
		require(properties.on("ALLOW_DELEGATE_RESOURCE") && amount >= SUN_PER_COIN);
		const resource = resourceOf(resourceCodeV2(resourceWord));
		require(resource !== undefined);
		require(delegableStake(properties, state.account.existing(from), resource) >= amount);
		require(isAddress(to) && !equalBytes(to, from));
		const stored = state.account.get(to);
		require(stored !== undefined && stored.type !== AccountType.Contract);
		lend(state, { from, to, resource, amount });
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
		const amount = readAmountOperand(amountWord);
		const from = context.address;
		require(properties.on("ALLOW_DELEGATE_RESOURCE"));
		require(isAddress(to) && !equalBytes(to, from));
		const stored = state.delegatedResource.get(delegationKeyV2(from, to, false));
		require(stored !== undefined && amount > 0n);
		const resource = resourceOf(resourceCodeV2(resourceWord));
		require(resource !== undefined && delegatedAmount(stored, resource) >= amount);
		takeBack(state, machineStakes, { from, to, resource, amount });
		return 1;
	});
}
