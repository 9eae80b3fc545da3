/** The checks of types by which a deployer changes a contract's settings (protocol/machine §18). */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import type { SmartContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";

/** @throws {ContractValidateError} if the owner is not an account; `absent` is the type's message for that */
export function checkOwner(state: StateView, owner: Uint8Array, absent: string): void {
	if (!isAddress(owner)) throw new ContractValidateError("Invalid address");
	if (!state.account.has(owner)) throw new ContractValidateError(`Account[${toHex(owner)}] ${absent}`);
}

/**
 * The contract's record, if the owner deployed it.
 * @throws {ContractValidateError} `absent` if there is no such contract
 */
export function checkDeployer(
	state: StateView,
	contract: { readonly owner_address: Uint8Array; readonly contract_address: Uint8Array },
	absent: string,
): Readonly<SmartContract> {
	const record = state.contract.get(contract.contract_address);
	if (!record) throw new ContractValidateError(absent);
	if (!equalBytes(record.origin_address, contract.owner_address)) {
		throw new ContractValidateError(
			`Account[${toHex(contract.owner_address)}] is not the owner of the contract`,
		);
	}
	return record;
}
