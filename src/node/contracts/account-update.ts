/** AccountUpdateContract (protocol/permissions §1.6): names an account. */

import { isAddress } from "../../protocol/address.js";
import { Account, type AccountUpdateContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";

const MAX_NAME_LENGTH = 200;

export const accountUpdate = defineContract<AccountUpdateContract>({
	type: "AccountUpdateContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		if (contract.account_name.length > MAX_NAME_LENGTH)
			throw new ContractValidateError("Invalid accountName");
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError("Account does not exist");
		if (state.properties.on("ALLOW_UPDATE_ACCOUNT_NAME")) return;
		if (owner.account_name.length > 0)
			throw new ContractValidateError("This account name is already existed");
		if (state.accountIndex.has(contract.account_name))
			throw new ContractValidateError("This name is existed");
	},

	execute({ state, contract }) {
		const owner = Account.copy(state.account.get(contract.owner_address) as Readonly<Account>);
		owner.account_name = contract.account_name;
		state.account.put(contract.owner_address, owner);
		state.accountIndex.put(contract.account_name, contract.owner_address);
	},
});
