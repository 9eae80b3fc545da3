/** SetAccountIdContract (protocol/permissions §1.7): gives an account its id, once and for all. */

import { isAddress } from "../../protocol/address.js";
import { Account, type SetAccountIdContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";

/** Key of an account id: ids differing only in the case of ASCII letters are one. */
export function accountIdKey(id: Uint8Array): Uint8Array {
	return Uint8Array.from(id, (byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));
}

/** 8 to 32 visible ASCII characters. */
function isAccountId(id: Uint8Array): boolean {
	return id.length >= 8 && id.length <= 32 && id.every((byte) => byte >= 0x21 && byte <= 0x7e);
}

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
