/** CancelAllUnfreezeV2Contract (protocol/staking §4.6): stakes again what waits for its delay, pays out what doesn't. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { toDeployed } from "../../protocol/dialect.js";
import { wrap } from "../../protocol/int64.js";
import { Account, type CancelAllUnfreezeV2Contract, ResourceCode } from "../../protocol/messages.js";
import { addStakeV2, addTotalWeight, splitUnstaking, weightV2 } from "../resources/stake.js";
import { cancelAllOn } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";

/** The kinds of stake, in the order in which the result names them. */
const kinds = [
	{ code: ResourceCode.ENERGY, name: "ENERGY" },
	// The map's keys are data on the wire, which has the deployed spelling in every dialect.
	{ code: ResourceCode.COIN_POWER, name: toDeployed("COIN_POWER") },
	{ code: ResourceCode.BANDWIDTH, name: "BANDWIDTH" },
] as const;

export const cancelAllUnfreezeV2 = defineContract<CancelAllUnfreezeV2Contract>({
	type: "CancelAllUnfreezeV2Contract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		if (!cancelAllOn(state.properties)) {
			throw new ContractValidateError(
				"Not support CancelAllUnfreezeV2 transaction, need to be opened by the committee",
			);
		}
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] not exists`);
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
