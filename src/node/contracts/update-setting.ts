/** UpdateSettingContract (protocol/machine §18): the share of energy that callers of a contract pay themselves. */

import { SmartContract, type UpdateSettingContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { checkDeployer, checkOwner } from "./contract-owner.js";
import { spaced } from "./parameter-type.js";

export const updateSetting = defineContract<UpdateSettingContract>({
	type: "UpdateSettingContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		checkOwner(state, contract.owner_address, "does not exist");
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
