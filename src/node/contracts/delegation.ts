/** Delegation transaction types (protocol/staking). */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { SUN_PER_COIN, wrap } from "../../protocol/int64.js";
import {
	type Account,
	AccountType,
	type DelegateResourceContract,
	type UnDelegateResourceContract,
} from "../../protocol/messages.js";
import { SLOT_MS } from "../../protocol/timing.js";
import { DEFAULT_LOCK_PERIOD, delegableStake, delegationSize, lockPeriodOn } from "../resources/delegable.js";
import {
	delegatedAmount,
	delegationExpiryMs,
	delegationKeyV2,
	unlockExpired,
} from "../resources/delegated-resource.js";
import { resourceOf } from "../resources/stake.js";
import { chainStakes, lend, takeBack } from "../resources/stake-effects.js";
import { type Resource, unfreezeDelayOn } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import type { Properties } from "../state/properties.js";
import type { StateView } from "../state/view.js";
import { type ContractContext, defineContract, requireAccount, spaced } from "./contract.js";

/** DelegateResourceContract (protocol/staking §5.4): delegates a stake's resources to another account. */
export const delegateResource = defineContract<DelegateResourceContract>({
	type: "DelegateResourceContract",

	opening({ properties }) {
		if (!properties.on("ALLOW_DELEGATE_RESOURCE")) {
			throw new ContractValidateError("No support for resource delegate");
		}
		if (!unfreezeDelayOn(properties)) {
			throw new ContractValidateError(
				"Not support Delegate resource transaction, need to be opened by the committee",
			);
		}
	},

	validate(context) {
		const { state, contract } = context;
		const { properties } = state;
		const owner = requireAccount(state, contract.owner_address, "not exists");
		if (contract.balance < SUN_PER_COIN) {
			throw new ContractValidateError("delegateBalance must be greater than or equal to 1 COIN");
		}
		const resource = resourceOf(contract.resource);
		if (!resource) {
			throw new ContractValidateError("ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]");
		}
		if (available(context, owner, resource) < contract.balance) {
			const name = resource === "bandwidth" ? "Bandwidth" : "Energy";
			throw new ContractValidateError(
				`delegateBalance must be less than or equal to available Freeze${name}V2 balance`,
			);
		}
		const receiverAddress = contract.receiver_address;
		if (!isAddress(receiverAddress)) throw new ContractValidateError("Invalid receiverAddress");
		if (equalBytes(receiverAddress, contract.owner_address)) {
			throw new ContractValidateError("receiverAddress must not be the same as ownerAddress");
		}
		const receiver = state.account.get(receiverAddress);
		if (!receiver) throw new ContractValidateError(`Account[${toHex(receiverAddress)}] not exists`);
		if (contract.lock && lockPeriodOn(properties)) checkLock(state, contract, resource);
		if (receiver.type === AccountType.Contract) {
			throw new ContractValidateError("Do not allow delegate resources to contract addresses");
		}
	},

	execute({ state, contract }) {
		const { properties } = state;
		const { owner_address: from, receiver_address: to, balance: amount, lock } = contract;
		const resource = resourceOf(contract.resource) as Resource;
		const now = properties.headTimestampMs;
		unlockExpired(state, from, to, now);
		const untilMs = lock ? wrap(now + lockPeriod(properties, contract) * SLOT_MS) : 0n;
		lend(state, { from, to, resource, amount }, lock, untilMs);
	},
});

/** Stake available for delegation; when building a transaction, its own bytes are reserved. */
function available(
	{ state, building }: ContractContext<DelegateResourceContract>,
	owner: Readonly<Account>,
	resource: Resource,
): bigint {
	const { properties } = state;
	const ownBytes = building && resource === "bandwidth" ? delegationSize(properties, owner) : 0n;
	return delegableStake(properties, owner, resource, ownBytes);
}

/** Lock period in blocks. */
function lockPeriod(properties: Properties, contract: Readonly<DelegateResourceContract>): bigint {
	const chosen = lockPeriodOn(properties) && contract.lock_period !== 0n;
	return chosen ? contract.lock_period : DEFAULT_LOCK_PERIOD;
}

function checkLock(state: StateView, contract: Readonly<DelegateResourceContract>, resource: Resource): void {
	const { properties } = state;
	const period = lockPeriod(properties, contract);
	const max = properties.get("MAX_DELEGATE_LOCK_PERIOD");
	if (period < 0n || period > max) {
		throw new ContractValidateError(
			`The lock period of delegate resource cannot be less than 0 and cannot exceed ${max}!`,
		);
	}
	const key = delegationKeyV2(contract.owner_address, contract.receiver_address, true);
	const record = state.delegatedResource.get(key);
	if (!record) return;
	const remainingMs = delegationExpiryMs(record, resource) - properties.headTimestampMs;
	if (period * SLOT_MS < remainingMs) {
		const name = resource.toUpperCase();
		throw new ContractValidateError(
			`The lock period for ${name} this time cannot be less than the remaining time[${remainingMs}ms] of the last lock period for ${name}!`,
		);
	}
}

/** UnDelegateResourceContract (protocol/staking §5.5): reclaims delegated resources, along with their share of usage. */
export const undelegateResource = defineContract<UnDelegateResourceContract>({
	type: "UnDelegateResourceContract",
	parameterRefusal: spaced,

	gate({ state: { properties } }) {
		if (!properties.on("ALLOW_DELEGATE_RESOURCE")) {
			throw new ContractValidateError("No support for resource delegate");
		}
		if (!unfreezeDelayOn(properties)) {
			throw new ContractValidateError(
				"Not support unDelegate resource transaction, need to be opened by the committee",
			);
		}
	},

	validate({ state, contract }) {
		const { properties } = state;
		const { owner_address: from, receiver_address: to } = contract;
		requireAccount(state, from, "does not exist");
		if (!isAddress(to)) throw new ContractValidateError("Invalid receiverAddress");
		if (equalBytes(to, from)) {
			throw new ContractValidateError("receiverAddress must not be the same as ownerAddress");
		}
		const unlocked = state.delegatedResource.get(delegationKeyV2(from, to, false));
		const locked = state.delegatedResource.get(delegationKeyV2(from, to, true));
		if (!unlocked && !locked) throw new ContractValidateError("delegated Resource does not exist");
		if (contract.balance <= 0n) {
			throw new ContractValidateError("unDelegateBalance must be more than 0 COIN");
		}
		const resource = resourceOf(contract.resource);
		if (!resource) {
			throw new ContractValidateError("ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]");
		}
		let have = unlocked ? delegatedAmount(unlocked, resource) : 0n;
		if (locked && delegationExpiryMs(locked, resource) < properties.headTimestampMs) {
			have += delegatedAmount(locked, resource);
		}
		if (have < contract.balance) {
			const name =
				resource === "bandwidth" ? "delegatedFrozenBalance(BANDWIDTH)" : "delegateFrozenBalance(Energy)";
			throw new ContractValidateError(
				`insufficient ${name}, request=${contract.balance}, unlock_balance=${have}`,
			);
		}
	},

	execute({ state, contract }) {
		const { owner_address: from, receiver_address: to, balance: amount } = contract;
		unlockExpired(state, from, to, state.properties.headTimestampMs);
		takeBack(state, chainStakes, { from, to, resource: resourceOf(contract.resource) as Resource, amount });
	},
});
