/** UnfreezeBalanceContract (protocol/staking §4.2): takes back a stake of generation 1 whose time is over. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { SUN_PER_COIN, wrap } from "../../protocol/int64.js";
import {
	Account,
	AccountType,
	type DelegatedResource,
	ResourceCode,
	type UnfreezeBalanceContract,
} from "../../protocol/messages.js";
import {
	delegatedAmount,
	delegationExpiryMs,
	delegationKeyV1,
	isSpent,
} from "../resources/delegated-resource.js";
import { unindexDelegationV1 } from "../resources/delegation-index.js";
import { addTotalWeight, delegation, resourceOf, setDelegation } from "../resources/stake.js";
import { endStakeV1, type StakeChange, takeBackV1 } from "../resources/stake-effects.js";
import { withdrawReward } from "../resources/vote-rewards.js";
import { replaceVotes, votesIndependentOf } from "../resources/votes.js";
import { initializeOldPower, invalidateOldPower } from "../resources/voting-power.js";
import type { Resource } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { type ContractContext, defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";

export const unfreezeBalance = defineContract<UnfreezeBalanceContract>({
	type: "UnfreezeBalanceContract",
	parameterRefusal: spaced,

	validate(context) {
		const { state, contract } = context;
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] does not exist`);
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

/** Whether the stake was given to another account. */
function delegates({ state, contract }: ContractContext<UnfreezeBalanceContract>): boolean {
	return contract.receiver_address.length > 0 && state.properties.on("ALLOW_DELEGATE_RESOURCE");
}

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
	// Before multi-signature the record had one expiry for both resources.
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

/** Takes a stake from its receiver, if that still holds it. @returns the change of the total weight in coins */
function reduceReceived(state: StateView, to: Uint8Array, resource: Resource, amount: bigint): bigint {
	const { properties } = state;
	const stored = state.account.get(to);
	const gone = !stored || stored.type === AccountType.Contract;
	if (!stored || (gone && properties.on("ALLOW_TVM_CONSTANTINOPLE"))) return -(amount / SUN_PER_COIN);
	const receiver = Account.copy(stored);
	const acquired = delegation(receiver, "acquired_delegated", "frozen", resource);
	// A contract that was destroyed and created again may hold less than it was given.
	const short = properties.on("ALLOW_TVM_SOLIDITY_059") && acquired < amount;
	const before = (short ? amount : acquired) / SUN_PER_COIN;
	const after = short ? 0n : wrap(acquired - amount);
	setDelegation(receiver, "acquired_delegated", "frozen", resource, after);
	state.account.put(to, receiver);
	return after / SUN_PER_COIN - before;
}
