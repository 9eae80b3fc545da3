/** AccountCreateContract (protocol/permissions §1.4): makes an account without sending it anything. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { type AccountCreateContract, AccountTypeEnum } from "../../protocol/messages.js";
import { adjustBalance, sinkFee } from "../resources/balance.js";
import { newAccount } from "../resources/new-account.js";
import { ContractValidateError, RuntimeRuleError } from "../rules/errors.js";
import { defineContract } from "./contract.js";

export const accountCreate = defineContract<AccountCreateContract>({
	type: "AccountCreateContract",

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] not exists`);
		if (owner.balance < state.properties.get("CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT")) {
			throw new ContractValidateError("Validate CreateAccountActuator error, insufficient fee.");
		}
		if (!isAddress(contract.account_address)) throw new ContractValidateError("Invalid account address");
		if (state.account.has(contract.account_address)) throw new ContractValidateError("Account has existed");
	},

	execute({ state, rules, contract }, result) {
		const fee = state.properties.get("CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT");
		// The checks let every number pass, but an account can't have a type without a name.
		if (!AccountTypeEnum.names.has(contract.type)) {
			throw new RuntimeRuleError(
				"IllegalArgumentException",
				"Can't get the number of an unknown enum value.",
			);
		}
		const created = newAccount(state, contract.account_address, contract.type);
		state.account.put(contract.account_address, created);
		adjustBalance(state, contract.owner_address, -fee);
		sinkFee(state, rules, fee);
		result.fee = fee;
	},
});
