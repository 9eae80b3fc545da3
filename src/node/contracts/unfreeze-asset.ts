/** UnfreezeAssetContract (protocol/tokens §6): an issuer takes the part of the supply whose freezing is over. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { wrap } from "../../protocol/int64.js";
import { Account, type UnfreezeAssetContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { addToken } from "../tokens/holdings.js";
import { issuedToken } from "../tokens/token-store.js";
import { defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";

export const unfreezeAsset = defineContract<UnfreezeAssetContract>({
	type: "UnfreezeAssetContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const owner = state.account.get(contract.owner_address);
		if (!owner) {
			throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] does not exist`);
		}
		if (owner.frozen_supply.length === 0) throw new ContractValidateError("no frozen supply balance");
		if (issuedToken(state, owner).length === 0) {
			throw new ContractValidateError("this account has not issued any asset");
		}
		const now = state.properties.headTimestampMs;
		if (owner.frozen_supply.every(({ expire_time }) => expire_time > now)) {
			throw new ContractValidateError("It's not time to unfreeze asset supply");
		}
	},

	execute({ state, contract }, result) {
		const owner = Account.copy(state.account.existing(contract.owner_address));
		const now = state.properties.headTimestampMs;
		let unfrozen = 0n;
		for (const { frozen_balance, expire_time } of owner.frozen_supply) {
			if (expire_time <= now) unfrozen = wrap(unfrozen + frozen_balance);
		}
		owner.frozen_supply = owner.frozen_supply.filter(({ expire_time }) => expire_time > now);
		addToken(state, owner, issuedToken(state, owner), unfrozen);
		state.account.put(contract.owner_address, owner);
		result.fee = 0n;
	},
});
