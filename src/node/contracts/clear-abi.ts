/** ClearABIContract (protocol/machine §18): removes the published interface of a contract. */

import { type ClearABIContract, SmartContractABI } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { checkDeployer, checkOwner } from "./contract-owner.js";

export const clearAbi = defineContract<ClearABIContract>({
	type: "ClearABIContract",

	gate({ state }) {
		if (!state.properties.on("ALLOW_TVM_CONSTANTINOPLE")) {
			throw new ContractValidateError("contract type error,unexpected type [ClearABIContract]");
		}
	},

	validate({ state, contract }) {
		checkOwner(state, contract.owner_address, "not exists");
		checkDeployer(state, contract, "Contract not exists");
	},

	execute({ state, contract }) {
		state.abi.put(contract.contract_address, new SmartContractABI());
	},
});
