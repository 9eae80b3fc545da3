/** Transaction types for changing a contract's settings, by its deployer (protocol/machine §18). */

import { equalBytes, toHex } from "../../protocol/bytes.js";
import {
	type ClearABIContract,
	SmartContract,
	SmartContractABI,
	type UpdateEnergyLimitContract,
	type UpdateSettingContract,
} from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { ENERGY_LIMIT_VERSION } from "../rules/fork-gates.js";
import type { StateView } from "../state/view.js";
import { defineContract, halfSpaced, requireAccount, spaced } from "./contract.js";

/**
 * The contract's record, if the owner deployed it.
 * @throws {ContractValidateError} `absent` if there is no such contract
 */
function checkDeployer(
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

/** UpdateSettingContract (protocol/machine §18): sets the share of energy that callers of a contract pay themselves. */
export const updateSetting = defineContract<UpdateSettingContract>({
	type: "UpdateSettingContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		requireAccount(state, contract.owner_address, "does not exist");
		const percent = contract.consume_user_resource_percent;
		if (percent < 0n || percent > 100n) throw new ContractValidateError("percent not in [0, 100]");
		checkDeployer(state, contract, "Contract does not exist");
	},

	execute({ state, contract }) {
		const record = SmartContract.copy(checkDeployer(state, contract, "Contract does not exist"));
		record.consume_user_resource_percent = contract.consume_user_resource_percent;
		state.contract.put(contract.contract_address, record);
	},
});

/** UpdateEnergyLimitContract (protocol/machine §18): limits what a contract's deployer pays for one call by others. */
export const updateEnergyLimit = defineContract<UpdateEnergyLimitContract>({
	type: "UpdateEnergyLimitContract",
	parameterRefusal: halfSpaced,

	gate({ forks }) {
		if (!forks.passed(ENERGY_LIMIT_VERSION)) {
			throw new ContractValidateError("contract type error, unexpected type [UpdateEnergyLimitContract]");
		}
	},

	validate({ state, contract }) {
		requireAccount(state, contract.owner_address, "does not exist");
		if (contract.origin_energy_limit <= 0n) {
			throw new ContractValidateError("origin energy limit must be > 0");
		}
		checkDeployer(state, contract, "Contract does not exist");
	},

	execute({ state, contract }) {
		const record = SmartContract.copy(checkDeployer(state, contract, "Contract does not exist"));
		record.origin_energy_limit = contract.origin_energy_limit;
		state.contract.put(contract.contract_address, record);
	},
});

/** ClearABIContract (protocol/machine §18): removes a contract's published ABI. */
export const clearAbi = defineContract<ClearABIContract>({
	type: "ClearABIContract",

	gate({ state }) {
		if (!state.properties.on("ALLOW_TVM_CONSTANTINOPLE")) {
			throw new ContractValidateError("contract type error,unexpected type [ClearABIContract]");
		}
	},

	validate({ state, contract }) {
		requireAccount(state, contract.owner_address, "not exists");
		checkDeployer(state, contract, "Contract not exists");
	},

	execute({ state, contract }) {
		state.abi.put(contract.contract_address, new SmartContractABI());
	},
});
