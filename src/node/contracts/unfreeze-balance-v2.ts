/** UnfreezeBalanceV2Contract (protocol/staking §4.4): unlocks staked coins; they can be withdrawn after the delay. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { wrap } from "../../protocol/int64.js";
import {
	Account,
	AccountUnFreezeV2,
	ResourceCode,
	type UnfreezeBalanceV2Contract,
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
import { withdrawReward } from "../resources/vote-rewards.js";
import { shrinkVotes } from "../resources/votes.js";
import { initializeOldPower, invalidateOldPower } from "../resources/voting-power.js";
import { unfreezeDelayOn } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";

export const unfreezeBalanceV2 = defineContract<UnfreezeBalanceV2Contract>({
	type: "UnfreezeBalanceV2Contract",
	parameterRefusal: () => spaced("UnfreezeBalanceContract"),

	validate({ state, contract }) {
		const { properties } = state;
		if (!unfreezeDelayOn(properties)) {
			throw new ContractValidateError(
				"Not support UnfreezeV2 transaction, need to be opened by the committee",
			);
		}
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] does not exist`);
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
		const { properties } = state;
		const { resource: code, unfreeze_balance: amount } = contract;
		const now = properties.headTimestampMs;
		withdrawReward(state, contract.owner_address);
		const owner = Account.copy(state.account.existing(contract.owner_address));
		const { waiting, expiredSun } = splitUnstaking(owner.unfrozenV2, now);
		owner.balance = wrap(owner.balance + expiredSun);
		initializeOldPower(properties, owner);
		const entry = AccountUnFreezeV2.create({
			type: code,
			unfreeze_amount: amount,
			unfreeze_expire_time: wrap(now + unstakingDelayMs(properties, rules.development?.unstakeDelayMs)),
		});
		owner.unfrozenV2 = [...waiting, entry];
		const before = weightV2(owner, code);
		addStakeV2(owner, code, -amount);
		addTotalWeight(properties, code, weightV2(owner, code) - before);
		shrinkVotes(state, owner, code);
		invalidateOldPower(properties, owner);
		state.account.put(contract.owner_address, owner);
		result.withdraw_expire_amount = expiredSun;
	},
});

/** Names of stakes in refusals. */
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
