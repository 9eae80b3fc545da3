/** FreezeBalanceV2Contract (protocol/staking §4.3): stakes coins, to be unlocked on demand. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { SUN_PER_COIN } from "../../protocol/int64.js";
import { type FreezeBalanceV2Contract, ResourceCode } from "../../protocol/messages.js";
import { resourceOf } from "../resources/stake.js";
import { chainStakes, stake } from "../resources/stake-effects.js";
import { unfreezeDelayOn } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";

export const freezeBalanceV2 = defineContract<FreezeBalanceV2Contract>({
	type: "FreezeBalanceV2Contract",

	validate({ state, contract }) {
		const { properties } = state;
		if (!unfreezeDelayOn(properties)) {
			throw new ContractValidateError("Not support FreezeV2 transaction, need to be opened by the committee");
		}
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] not exists`);
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
