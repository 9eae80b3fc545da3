/** UpdateEnergyLimitContract (protocol/machine §18): what a contract's deployer pays at most for one call of others. */

import { SmartContract, type UpdateEnergyLimitContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { ENERGY_LIMIT_VERSION } from "../rules/fork-gates.js";
import { defineContract } from "./contract.js";
import { checkDeployer, checkOwner } from "./contract-owner.js";
import { halfSpaced } from "./parameter-type.js";

export const updateEnergyLimit = defineContract<UpdateEnergyLimitContract>({
	type: "UpdateEnergyLimitContract",
	parameterRefusal: halfSpaced,

	gate({ forks }) {
		if (!forks.passed(ENERGY_LIMIT_VERSION)) {
			throw new ContractValidateError("contract type error, unexpected type [UpdateEnergyLimitContract]");
		}
	},

	validate({ state, contract }) {
		checkOwner(state, contract.owner_address, "does not exist");
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
