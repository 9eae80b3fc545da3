/** FreezeBalanceContract (protocol/staking §4.1): stakes for a fixed time, for oneself or another; closed by staking V2. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { SUN_PER_COIN, wrap } from "../../protocol/int64.js";
import {
	Account,
	AccountFrozen,
	AccountType,
	type FreezeBalanceContract,
	ResourceCode,
} from "../../protocol/messages.js";
import { addDelegated, delegationKeyV1, editDelegation } from "../resources/delegated-resource.js";
import { indexDelegationV1 } from "../resources/delegation-index.js";
import {
	addDelegation,
	addTotalWeight,
	DAY_MS,
	delegation,
	ownStakeV1,
	resourceOf,
} from "../resources/stake.js";
import { initializeOldPower } from "../resources/voting-power.js";
import { editEnergy, type Resource, unfreezeDelayOn } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { type ContractContext, defineContract } from "./contract.js";

export const freezeBalance = defineContract<FreezeBalanceContract>({
	type: "FreezeBalanceContract",

	validate(context) {
		const { state, rules, contract } = context;
		const { properties } = state;
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] not exists`);
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
		const { frozen_balance: amount, resource: code } = contract;
		const owner = Account.copy(state.account.existing(contract.owner_address));
		initializeOldPower(properties, owner);
		const expireMs = wrap(properties.headTimestampMs + contract.frozen_duration * DAY_MS);
		const resource = resourceOf(code);
		const coins =
			delegates(context) && resource
				? delegateStake(state, owner, contract, resource, expireMs)
				: addOwnStake(owner, code, amount, expireMs);
		addTotalWeight(properties, code, properties.on("ALLOW_NEW_REWARD") ? coins : amount / SUN_PER_COIN);
		owner.balance = wrap(owner.balance - amount);
		state.account.put(contract.owner_address, owner);
	},
});

/** Whether the stake is for another account. */
function delegates({ state, contract }: ContractContext<FreezeBalanceContract>): boolean {
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

/**
 * Adds to the owner's own stake; the new expiry holds for all of it.
 * @returns the whole coins that the stake grew by
 */
function addOwnStake(owner: Account, code: number, amount: bigint, expireMs: bigint): bigint {
	const before = ownStakeV1(owner, code);
	const stake = AccountFrozen.create({ frozen_balance: wrap(before + amount), expire_time: expireMs });
	if (code === ResourceCode.BANDWIDTH) owner.frozen = [stake];
	else if (code === ResourceCode.ENERGY) editEnergy(owner).frozen_balance_for_energy = stake;
	else owner.coin_power = stake;
	return stake.frozen_balance / SUN_PER_COIN - before / SUN_PER_COIN;
}

/** Gives the stake to the receiver. @returns the whole coins that its received stake grew by */
function delegateStake(
	state: StateView,
	owner: Account,
	contract: Readonly<FreezeBalanceContract>,
	resource: Resource,
	expireMs: bigint,
): bigint {
	const { owner_address: from, receiver_address: to, frozen_balance: amount } = contract;
	const key = delegationKeyV1(from, to);
	const record = editDelegation(state, key, from, to);
	addDelegated(record, resource, amount, expireMs);
	state.delegatedResource.put(key, record);
	indexDelegationV1(state, from, to);

	const receiver = Account.copy(state.account.existing(to));
	const before = delegation(receiver, "acquired_delegated", "frozen", resource);
	addDelegation(receiver, "acquired_delegated", "frozen", resource, amount);
	state.account.put(to, receiver);
	addDelegation(owner, "delegated", "frozen", resource, amount);
	return wrap(before + amount) / SUN_PER_COIN - before / SUN_PER_COIN;
}
