/** WitnessCreateContract (protocol/staking §6.2): makes an account a witness, for good. */

import { isAddress } from "../../protocol/address.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import { Account, Witness, type WitnessCreateContract } from "../../protocol/messages.js";
import {
	defaultActivePermission,
	defaultOwnerPermission,
	defaultWitnessPermission,
} from "../../protocol/permission.js";
import { adjustBalance, sinkFee } from "../resources/balance.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { defineContract } from "./contract.js";
import { halfSpaced } from "./parameter-type.js";

const MAX_URL_LENGTH = 256;

/** Whether a witness may use this as its url: 1 to 256 bytes of any kind. */
export function isWitnessUrl(url: Uint8Array): boolean {
	return url.length >= 1 && url.length <= MAX_URL_LENGTH;
}

export const witnessCreate = defineContract<WitnessCreateContract>({
	type: "WitnessCreateContract",
	parameterRefusal: halfSpaced,

	validate({ state, contract }) {
		const address = contract.owner_address;
		if (!isAddress(address)) throw new ContractValidateError("Invalid address");
		if (!isWitnessUrl(contract.url)) throw new ContractValidateError("Invalid url");
		const owner = state.account.get(address);
		if (!owner) throw new ContractValidateError(`account[${toHex(address)}] not exists`);
		if (state.witness.has(address)) throw new ContractValidateError(`Witness[${toHex(address)}] has existed`);
		if (owner.balance < state.properties.get("ACCOUNT_UPGRADE_COST")) {
			throw new ContractValidateError("balance < AccountUpgradeCost");
		}
	},

	execute({ state, rules, contract }, result) {
		const { properties } = state;
		const address = contract.owner_address;
		const fee = properties.get("ACCOUNT_UPGRADE_COST");
		state.witness.put(address, Witness.create({ address, url: fromUtf8(contract.url) }));
		const owner = Account.copy(state.account.existing(address));
		owner.is_witness = true;
		if (properties.on("ALLOW_MULTI_SIGN")) completePermissions(state, owner);
		state.account.put(address, owner);
		adjustBalance(state, address, -fee);
		sinkFee(state, rules, fee);
		properties.add("TOTAL_CREATE_WITNESS_FEE", fee);
		result.fee = fee;
	},
});

/** Gives the witness permission, and the others where they are missing. */
function completePermissions(state: StateView, owner: Account): void {
	owner.owner_permission ??= defaultOwnerPermission(owner.address);
	if (owner.active_permission.length === 0) {
		const operations = state.properties.get("ACTIVE_DEFAULT_OPERATIONS");
		owner.active_permission = [defaultActivePermission(owner.address, operations)];
	}
	owner.witness_permission = defaultWitnessPermission(owner.address);
}
