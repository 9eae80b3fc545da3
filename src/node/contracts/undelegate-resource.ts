/** UnDelegateResourceContract (protocol/staking §5.5): takes lent resources back, with the usage that goes with them. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import type { UnDelegateResourceContract } from "../../protocol/messages.js";
import {
	delegatedAmount,
	delegationExpiryMs,
	delegationKeyV2,
	unlockExpired,
} from "../resources/delegated-resource.js";
import { resourceOf } from "../resources/stake.js";
import { chainStakes, takeBack } from "../resources/stake-effects.js";
import { type Resource, unfreezeDelayOn } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";

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
		if (!isAddress(from)) throw new ContractValidateError("Invalid address");
		if (!state.account.has(from)) throw new ContractValidateError(`Account[${toHex(from)}] does not exist`);
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
