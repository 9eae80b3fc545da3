/** UpdateAssetContract (protocol/tokens §7): an issuer replaces its token's texts and bandwidth limits. */

import { isAddress } from "../../protocol/address.js";
import { AssetIssueContract, type UpdateAssetContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import {
	checkTokenBandwidth,
	checkTokenTexts,
	issuedToken,
	namesByNumber,
	tokenStore,
	updateToken,
} from "../tokens/token-store.js";
import { defineContract } from "./contract.js";
import { halfSpaced } from "./parameter-type.js";

export const updateAsset = defineContract<UpdateAssetContract>({
	type: "UpdateAssetContract",
	parameterRefusal: halfSpaced,

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError("Account does not exist");
		const token = issuedToken(state, owner);
		if (token.length === 0) throw new ContractValidateError("Account has not issued any asset");
		if (!tokenStore(state).has(token)) {
			const store = namesByNumber(state) ? "AssetIssueV2Store" : "AssetIssueStore";
			throw new ContractValidateError(`Asset is not existed in ${store}`);
		}
		checkTokenTexts(contract.url, contract.description);
		checkTokenBandwidth(state, contract.new_limit, contract.new_public_limit);
	},

	execute({ state, contract }, result) {
		const owner = state.account.existing(contract.owner_address);
		updateToken(state, issuedToken(state, owner), (token) => {
			const copy = AssetIssueContract.copy(token);
			copy.free_asset_net_limit = contract.new_limit;
			copy.public_free_asset_net_limit = contract.new_public_limit;
			copy.url = contract.url;
			copy.description = contract.description;
			return copy;
		});
		result.fee = 0n;
	},
});
