/** FreezeBalanceContract (protocol/staking §4.1): stakes for a fixed time, for oneself or another; closed by staking V2. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { SUN_PER_COIN, wrap } from "../../protocol/int64.js";
import { Account, AccountType, type FreezeBalanceContract, ResourceCode } from "../../protocol/messages.js";
import { indexDelegationV1 } from "../resources/delegation-index.js";
import { addTotalWeight, DAY_MS, resourceOf } from "../resources/stake.js";
import { addStakeV1, lendV1 } from "../resources/stake-effects.js";
import { initializeOldPower } from "../resources/voting-power.js";
import { unfreezeDelayOn } from "../resources/window.js";
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
