/** UnfreezeBalanceV2Contract (protocol/staking §4.4): unlocks staked coins; they can be withdrawn after the delay. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { ResourceCode, type UnfreezeBalanceV2Contract } from "../../protocol/messages.js";
import { MAX_UNSTAKING_ENTRIES, resourceOf, splitUnstaking, unstakingDelayMs } from "../resources/stake.js";
import { chainStakes, unstake } from "../resources/stake-effects.js";
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
		const { owner_address: address, resource: code, unfreeze_balance: amount } = contract;
		const delayMs = unstakingDelayMs(state.properties, rules.development?.unstakeDelayMs);
		const part = { address, code, amount, delayMs, shrinks: true };
		result.withdraw_expire_amount = unstake(state, chainStakes, part);
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
