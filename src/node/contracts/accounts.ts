/** Account transaction types, except for permissions. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import {
	Account,
	type AccountCreateContract,
	AccountTypeEnum,
	type AccountUpdateContract,
	type SetAccountIdContract,
} from "../../protocol/messages.js";
import { adjustBalance, newAccount, sinkFee } from "../resources/balance.js";
import { ContractValidateError, RuntimeRuleError } from "../rules/errors.js";
import { defineContract, spaced } from "./contract.js";

/** AccountCreateContract (protocol/permissions §1.4): makes an account without sending it anything. */
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
		// Validation accepts any number, but an account can't have an unknown type.
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

const MAX_NAME_LENGTH = 200;

/** AccountUpdateContract (protocol/permissions §1.6): names an account. */
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

/** Normalized account id: ids are equal if they differ only in the case of ASCII letters. */
export function accountIdKey(id: Uint8Array): Uint8Array {
	return Uint8Array.from(id, (byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));
}

/** 8 to 32 visible ASCII characters. */
function isAccountId(id: Uint8Array): boolean {
	return id.length >= 8 && id.length <= 32 && id.every((byte) => byte >= 0x21 && byte <= 0x7e);
}

/** SetAccountIdContract (protocol/permissions §1.7): sets an account's id, which can't be changed afterwards. */
export const setAccountId = defineContract<SetAccountIdContract>({
	type: "SetAccountIdContract",

	validate({ state, contract }) {
		if (!isAccountId(contract.account_id)) throw new ContractValidateError("Invalid accountId");
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError("Account has not existed");
		if (owner.account_id.length > 0) throw new ContractValidateError("This account id already set");
		if (state.accountIdIndex.has(accountIdKey(contract.account_id))) {
			throw new ContractValidateError("This id has existed");
		}
	},

	execute({ state, contract }) {
		const owner = Account.copy(state.account.get(contract.owner_address) as Readonly<Account>);
		owner.account_id = contract.account_id;
		state.account.put(contract.owner_address, owner);
		state.accountIdIndex.put(accountIdKey(contract.account_id), contract.owner_address);
	},
});
