/** Stake 1.0 transaction types (protocol/staking): freeze and unfreeze, for oneself or another account. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { SUN_PER_COIN, wrap } from "../../protocol/int64.js";
import {
	Account,
	AccountType,
	type DelegatedResource,
	type FreezeBalanceContract,
	ResourceCode,
	type UnfreezeBalanceContract,
} from "../../protocol/messages.js";
import {
	delegatedAmount,
	delegationExpiryMs,
	delegationKeyV1,
	isSpent,
} from "../resources/delegated-resource.js";
import { indexDelegationV1, unindexDelegationV1 } from "../resources/delegation-index.js";
import { addTotalWeight, DAY_MS, delegation, resourceOf, setDelegation } from "../resources/stake.js";
import { addStakeV1, endStakeV1, lendV1, type StakeChange, takeBackV1 } from "../resources/stake-effects.js";
import { withdrawReward } from "../resources/vote-rewards.js";
import {
	initializeOldPower,
	invalidateOldPower,
	replaceVotes,
	votesIndependentOf,
} from "../resources/votes.js";
import { type Resource, unfreezeDelayOn } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { type ContractContext, defineContract, requireAccount, spaced } from "./contract.js";

/** FreezeBalanceContract (protocol/staking §4.1): stakes for a fixed time, for oneself or another; disabled by Stake 2.0. */
export const freezeBalance = defineContract<FreezeBalanceContract>({
	type: "FreezeBalanceContract",

	validate(context) {
		const { state, rules, contract } = context;
		const { properties } = state;
		const owner = requireAccount(state, contract.owner_address, "not exists");
		if (contract.frozen_balance <= 0n) throw new ContractValidateError("frozenBalance must be positive");
		if (contract.frozen_balance < SUN_PER_COIN) {
			throw new ContractValidateError("frozenBalance must be greater than or equal to 1 COIN");
		}
		if (owner.frozen.length > 1) throw new ContractValidateError("frozenCount must be 0 or 1");
		if (contract.frozen_balance > owner.balance) {
			throw new ContractValidateError("frozenBalance must be less than or equal to accountBalance");
		}
		const minDays = properties.get("MIN_FROZEN_TIME");
		const maxDays = properties.get("MAX_FROZEN_TIME");
		const days = contract.frozen_duration;
		if (rules.checkFrozenTime && (days < BigInt(minDays) || days > BigInt(maxDays))) {
			throw new ContractValidateError(
				`frozenDuration must be less than ${maxDays} days and more than ${minDays} days`,
			);
		}
		checkResourceCode(state, contract);
		if (delegates(context)) checkReceiver(state, contract);
		if (unfreezeDelayOn(properties)) {
			throw new ContractValidateError("freeze v2 is open, old freeze is closed");
		}
	},

	execute(context) {
		const { state, contract } = context;
		const { properties } = state;
		const { owner_address: from, receiver_address: to, frozen_balance: amount, resource: code } = contract;
		const owner = Account.copy(state.account.existing(from));
		initializeOldPower(properties, owner);
		const expireMs = wrap(properties.headTimestampMs + contract.frozen_duration * DAY_MS);
		const resource = resourceOf(code);
		const isLent = delegates(context) && resource;
		const { coins } = isLent
			? lendV1(state, owner, { from, to, resource, amount }, expireMs)
			: addStakeV1(owner, code, amount, expireMs);
		if (isLent) indexDelegationV1(state, from, to);
		addTotalWeight(properties, code, properties.on("ALLOW_NEW_REWARD") ? coins : amount / SUN_PER_COIN);
		owner.balance = wrap(owner.balance - amount);
		state.account.put(from, owner);
	},
});

/** Whether the stake is for another account. */
function delegates({
	state,
	contract,
}: ContractContext<FreezeBalanceContract | UnfreezeBalanceContract>): boolean {
	return contract.receiver_address.length > 0 && state.properties.on("ALLOW_DELEGATE_RESOURCE");
}

function checkResourceCode(state: StateView, contract: Readonly<FreezeBalanceContract>): void {
	if (resourceOf(contract.resource)) return;
	if (!state.properties.on("ALLOW_NEW_RESOURCE_MODEL")) {
		throw new ContractValidateError("ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]");
	}
	if (contract.resource !== ResourceCode.COIN_POWER) {
		throw new ContractValidateError("ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY、COIN_POWER]");
	}
	if (contract.receiver_address.length > 0) {
		throw new ContractValidateError("COIN_POWER is not allowed to delegate to other accounts.");
	}
}

function checkReceiver(state: StateView, contract: Readonly<FreezeBalanceContract>): void {
	const address = contract.receiver_address;
	if (equalBytes(address, contract.owner_address)) {
		throw new ContractValidateError("receiverAddress must not be the same as ownerAddress");
	}
	if (!isAddress(address)) throw new ContractValidateError("Invalid receiverAddress");
	const receiver = state.account.get(address);
	if (!receiver) throw new ContractValidateError(`Account[${toHex(address)}] not exists`);
	if (state.properties.on("ALLOW_TVM_CONSTANTINOPLE") && receiver.type === AccountType.Contract) {
		throw new ContractValidateError("Do not allow delegate resources to contract addresses");
	}
}

/** UnfreezeBalanceContract (protocol/staking §4.2): unstakes an expired Stake 1.0 stake. */
export const unfreezeBalance = defineContract<UnfreezeBalanceContract>({
	type: "UnfreezeBalanceContract",
	parameterRefusal: spaced,

	validate(context) {
		const { state, contract } = context;
		const owner = requireAccount(state, contract.owner_address, "does not exist");
		if (delegates(context)) checkDelegated(state, contract);
		else checkOwn(state, owner, contract.resource);
	},

	execute(context, result) {
		const { state, contract } = context;
		const { properties } = state;
		const code = contract.resource;
		withdrawReward(state, contract.owner_address);
		const owner = Account.copy(state.account.existing(contract.owner_address));
		initializeOldPower(properties, owner);
		const resource = resourceOf(code);
		const { amount, coins } =
			delegates(context) && resource
				? takeBackDelegated(state, owner, contract, resource)
				: endStakeV1(owner, code, properties.headTimestampMs);
		owner.balance = wrap(owner.balance + amount);
		addTotalWeight(properties, code, properties.on("ALLOW_NEW_REWARD") ? coins : -(amount / SUN_PER_COIN));
		if (!votesIndependentOf(state, owner, code)) replaceVotes(state, owner, []);
		invalidateOldPower(properties, owner);
		state.account.put(contract.owner_address, owner);
		result.unfreeze_amount = amount;
	},
});

function checkDelegated(state: StateView, contract: Readonly<UnfreezeBalanceContract>): void {
	const { properties } = state;
	const { owner_address: from, receiver_address: to } = contract;
	if (equalBytes(to, from)) {
		throw new ContractValidateError("receiverAddress must not be the same as ownerAddress");
	}
	if (!isAddress(to)) throw new ContractValidateError("Invalid receiverAddress");
	const constantinople = properties.on("ALLOW_TVM_CONSTANTINOPLE");
	const receiver = state.account.get(to);
	if (!constantinople && !receiver) {
		throw new ContractValidateError(`Receiver Account[${toHex(to)}] does not exist`);
	}
	const record = state.delegatedResource.get(delegationKeyV1(from, to));
	if (!record) throw new ContractValidateError("delegated Resource does not exist");
	const resource = resourceOf(contract.resource);
	if (!resource) {
		throw new ContractValidateError("ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]");
	}
	const amount = delegatedAmount(record, resource);
	if (amount <= 0n) {
		throw new ContractValidateError(
			resource === "bandwidth" ? "no delegatedFrozenBalance(BANDWIDTH)" : "no delegateFrozenBalance(Energy)",
		);
	}
	const strict = !constantinople || !properties.on("ALLOW_TVM_SOLIDITY_059");
	if (receiver && strict && (!constantinople || receiver.type !== AccountType.Contract)) {
		const acquired = delegation(receiver, "acquired_delegated", "frozen", resource);
		if (acquired < amount) {
			const name = resource === "bandwidth" ? "Bandwidth" : "Energy";
			throw new ContractValidateError(
				`AcquiredDelegatedFrozenBalanceFor${name}[${acquired}] < delegated${name}[${amount}]`,
			);
		}
	}
	// Before multi-signature, a delegation had one expiry for both resources.
	const clock = properties.on("ALLOW_MULTI_SIGN") ? resource : "bandwidth";
	if (delegationExpiryMs(record, clock) > properties.headTimestampMs) {
		throw new ContractValidateError("It's not time to unfreeze.");
	}
}

function checkOwn(state: StateView, owner: Readonly<Account>, code: number): void {
	const { properties } = state;
	const now = properties.headTimestampMs;
	const newModel = properties.on("ALLOW_NEW_RESOURCE_MODEL");
	if (code === ResourceCode.BANDWIDTH) {
		if (owner.frozen.length === 0) throw new ContractValidateError("no frozenBalance(BANDWIDTH)");
		if (!owner.frozen.some((stake) => stake.expire_time <= now)) {
			throw new ContractValidateError("It's not time to unfreeze(BANDWIDTH).");
		}
	} else if (code === ResourceCode.ENERGY) {
		const stake = owner.account_resource?.frozen_balance_for_energy;
		if (!stake || stake.frozen_balance <= 0n) throw new ContractValidateError("no frozenBalance(Energy)");
		if (stake.expire_time > now) throw new ContractValidateError("It's not time to unfreeze(Energy).");
	} else if (!newModel) {
		throw new ContractValidateError("ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]");
	} else if (code === ResourceCode.COIN_POWER) {
		const stake = owner.coin_power;
		if (!stake || stake.frozen_balance <= 0n) throw new ContractValidateError("no frozenBalance(CoinPower)");
		if (stake.expire_time > now) throw new ContractValidateError("It's not time to unfreeze(CoinPower).");
	} else {
		throw new ContractValidateError("ResourceCode error.valid ResourceCode[BANDWIDTH、Energy、COIN_POWER]");
	}
}

function takeBackDelegated(
	state: StateView,
	owner: Account,
	contract: Readonly<UnfreezeBalanceContract>,
	resource: Resource,
): StakeChange {
	const { owner_address: from, receiver_address: to } = contract;
	const key = delegationKeyV1(from, to);
	const stored = state.delegatedResource.get(key) as Readonly<DelegatedResource>;
	const amount = delegatedAmount(stored, resource);
	const record = takeBackV1(owner, stored, resource);
	const coins = reduceReceived(state, to, resource, amount);
	if (isSpent(record)) {
		state.delegatedResource.delete(key);
		unindexDelegationV1(state, from, to);
	} else state.delegatedResource.put(key, record);
	return { amount, coins };
}

/** Takes a stake from its receiver, if it still holds it. @returns the change of the total weight in coins */
function reduceReceived(state: StateView, to: Uint8Array, resource: Resource, amount: bigint): bigint {
	const { properties } = state;
	const stored = state.account.get(to);
	const gone = !stored || stored.type === AccountType.Contract;
	if (!stored || (gone && properties.on("ALLOW_TVM_CONSTANTINOPLE"))) return -(amount / SUN_PER_COIN);
	const receiver = Account.copy(stored);
	const acquired = delegation(receiver, "acquired_delegated", "frozen", resource);
	// A contract that was destroyed and recreated may hold less than was delegated to it.
	const short = properties.on("ALLOW_TVM_SOLIDITY_059") && acquired < amount;
	const before = (short ? amount : acquired) / SUN_PER_COIN;
	const after = short ? 0n : wrap(acquired - amount);
	setDelegation(receiver, "acquired_delegated", "frozen", resource, after);
	state.account.put(to, receiver);
	return after / SUN_PER_COIN - before;
}
