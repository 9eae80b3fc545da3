/** Stake 2.0 transaction types (protocol/staking): freeze, unfreeze, cancel, withdraw. */

import { toDeployed } from "../../protocol/dialect.js";
import { checked, SUN_PER_COIN, wrap } from "../../protocol/int64.js";
import {
	Account,
	type CancelAllUnfreezeV2Contract,
	type FreezeBalanceV2Contract,
	ResourceCode,
	type UnfreezeBalanceV2Contract,
	type WithdrawExpireUnfreezeContract,
} from "../../protocol/messages.js";
import {
	addStakeV2,
	addTotalWeight,
	MAX_UNSTAKING_ENTRIES,
	resourceOf,
	splitUnstaking,
	unstakingDelayMs,
	weightV2,
} from "../resources/stake.js";
import { chainStakes, stake, unstake } from "../resources/stake-effects.js";
import { cancelAllOn, unfreezeDelayOn } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import { validateArithmetic } from "./arithmetic.js";
import { defineContract, requireAccount, spaced } from "./contract.js";

/** FreezeBalanceV2Contract (protocol/staking §4.3): stakes coins until they are unstaked on demand. */
export const freezeBalanceV2 = defineContract<FreezeBalanceV2Contract>({
	type: "FreezeBalanceV2Contract",

	opening({ properties }) {
		if (!unfreezeDelayOn(properties)) {
			throw new ContractValidateError("Not support FreezeV2 transaction, need to be opened by the committee");
		}
	},

	validate({ state, contract }) {
		const { properties } = state;
		const owner = requireAccount(state, contract.owner_address, "not exists");
		if (contract.frozen_balance <= 0n) throw new ContractValidateError("frozenBalance must be positive");
		if (contract.frozen_balance < SUN_PER_COIN) {
			throw new ContractValidateError("frozenBalance must be greater than or equal to 1 COIN");
		}
		if (contract.frozen_balance > owner.balance) {
			throw new ContractValidateError("frozenBalance must be less than or equal to accountBalance");
		}
		if (resourceOf(contract.resource)) return;
		if (!properties.on("ALLOW_NEW_RESOURCE_MODEL")) {
			throw new ContractValidateError("ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]");
		}
		if (contract.resource !== ResourceCode.COIN_POWER) {
			throw new ContractValidateError(
				"ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY、COIN_POWER]",
			);
		}
	},

	execute({ state, contract: { owner_address: address, resource: code, frozen_balance: amount } }) {
		stake(state, chainStakes, { address, code, amount });
	},
});

/** UnfreezeBalanceV2Contract (protocol/staking §4.4): unstakes coins; they can be withdrawn after the delay. */
export const unfreezeBalanceV2 = defineContract<UnfreezeBalanceV2Contract>({
	type: "UnfreezeBalanceV2Contract",
	parameterRefusal: () => spaced("UnfreezeBalanceContract"),

	opening({ properties }) {
		if (!unfreezeDelayOn(properties)) {
			throw new ContractValidateError(
				"Not support UnfreezeV2 transaction, need to be opened by the committee",
			);
		}
	},

	validate({ state, contract }) {
		const { properties } = state;
		const owner = requireAccount(state, contract.owner_address, "does not exist");
		const { resource: code, unfreeze_balance: amount } = contract;
		checkResourceCode(code, properties.on("ALLOW_NEW_RESOURCE_MODEL"));
		const staked = owner.frozenV2.find((stake) => stake.type === code && stake.amount > 0n);
		if (!staked) throw new ContractValidateError(`no frozenBalance(${stakeNames.get(code)})`);
		if (amount <= 0n || amount > staked.amount) {
			throw new ContractValidateError(`Invalid unfreeze_balance, [${amount}] is error`);
		}
		const { waiting } = splitUnstaking(owner.unfrozenV2, properties.headTimestampMs);
		if (waiting.length >= MAX_UNSTAKING_ENTRIES) {
			throw new ContractValidateError("Invalid unfreeze operation, unfreezing times is over limit");
		}
	},

	execute({ state, rules, contract }, result) {
		const { owner_address: address, resource: code, unfreeze_balance: amount } = contract;
		const delayMs = unstakingDelayMs(state.properties, rules.development?.unstakeDelayMs);
		const part = { address, code, amount, delayMs, shrinks: true };
		result.withdraw_expire_amount = unstake(state, chainStakes, part);
	},
});

/** Stake names in error messages. */
const stakeNames = new Map<number, string>([
	[ResourceCode.BANDWIDTH, "BANDWIDTH"],
	[ResourceCode.ENERGY, "Energy"],
	[ResourceCode.COIN_POWER, "CoinPower"],
]);

function checkResourceCode(code: number, newModel: boolean): void {
	if (resourceOf(code)) return;
	if (!newModel) throw new ContractValidateError("ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]");
	if (code !== ResourceCode.COIN_POWER) {
		throw new ContractValidateError("ResourceCode error.valid ResourceCode[BANDWIDTH、Energy、COIN_POWER]");
	}
}

/** Stake types, in the order of the result. */
const kinds = [
	{ code: ResourceCode.ENERGY, name: "ENERGY" },
	// The map's keys are wire data, spelled as deployed in every dialect.
	{ code: ResourceCode.COIN_POWER, name: toDeployed("COIN_POWER") },
	{ code: ResourceCode.BANDWIDTH, name: "BANDWIDTH" },
] as const;

/** CancelAllUnfreezeV2Contract (protocol/staking §4.6): restakes pending unstakes, and pays out expired ones. */
export const cancelAllUnfreezeV2 = defineContract<CancelAllUnfreezeV2Contract>({
	type: "CancelAllUnfreezeV2Contract",
	parameterRefusal: spaced,

	opening({ properties }) {
		if (!cancelAllOn(properties)) {
			throw new ContractValidateError(
				"Not support CancelAllUnfreezeV2 transaction, need to be opened by the committee",
			);
		}
	},

	validate({ state, contract }) {
		const owner = requireAccount(state, contract.owner_address, "not exists");
		if (owner.unfrozenV2.length === 0) throw new ContractValidateError("No unfreezeV2 list to cancel");
	},

	execute({ state, contract }, result) {
		const { properties } = state;
		const owner = Account.copy(state.account.existing(contract.owner_address));
		const { waiting, expiredSun } = splitUnstaking(owner.unfrozenV2, properties.headTimestampMs);
		const weights = kinds.map(({ code }) => weightV2(owner, code));
		for (const { type, unfreeze_amount } of waiting) addStakeV2(owner, type, unfreeze_amount);
		const cancelled = new Map<string, bigint>();
		for (const [i, { code, name }] of kinds.entries()) {
			addTotalWeight(properties, code, weightV2(owner, code) - (weights[i] as bigint));
			const entries = waiting.filter((entry) => entry.type === code);
			cancelled.set(name, wrap(entries.reduce((sum, entry) => sum + entry.unfreeze_amount, 0n)));
		}
		owner.unfrozenV2 = [];
		if (expiredSun > 0n) owner.balance = wrap(owner.balance + expiredSun);
		state.account.put(contract.owner_address, owner);
		result.withdraw_expire_amount = expiredSun;
		result.cancel_unfreezeV2_amount = cancelled;
	},
});

/** WithdrawExpireUnfreezeContract (protocol/staking §4.5): pays out unstaked coins whose delay has passed. */
export const withdrawExpireUnfreeze = defineContract<WithdrawExpireUnfreezeContract>({
	type: "WithdrawExpireUnfreezeContract",
	parameterRefusal: spaced,

	opening({ properties }) {
		if (!unfreezeDelayOn(properties)) {
			throw new ContractValidateError(
				"Not support WithdrawExpireUnfreeze transaction, need to be opened by the committee",
			);
		}
	},

	validate({ state, contract }) {
		const owner = requireAccount(state, contract.owner_address, "not exists");
		const { balance } = owner;
		const { expiredSun } = splitUnstaking(owner.unfrozenV2, state.properties.headTimestampMs);
		if (expiredSun <= 0n) throw new ContractValidateError("no unFreeze balance to withdraw ");
		validateArithmetic(() =>
			checked(balance + expiredSun, `overflow: checkedAdd(${balance}, ${expiredSun})`),
		);
	},

	execute({ state, contract }, result) {
		const owner = Account.copy(state.account.existing(contract.owner_address));
		const { waiting, expiredSun } = splitUnstaking(owner.unfrozenV2, state.properties.headTimestampMs);
		owner.balance = wrap(owner.balance + expiredSun);
		owner.unfrozenV2 = waiting;
		state.account.put(contract.owner_address, owner);
		result.withdraw_expire_amount = expiredSun;
	},
});
