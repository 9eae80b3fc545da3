/** UpdateBrokerageContract (protocol/staking §6.4): sets the share of rewards that a witness keeps, from the next cycle. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { UpdateBrokerageContract } from "../../protocol/messages.js";
import { setBrokerageSetting } from "../resources/delegation-store.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";

export const updateBrokerage = defineContract<UpdateBrokerageContract>({
	type: "UpdateBrokerageContract",
	parameterRefusal: spaced,

	gate({ state }) {
		if (!state.properties.on("CHANGE_DELEGATION")) {
			throw new ContractValidateError("contract type error, unexpected type [UpdateBrokerageContract]");
		}
	},

	validate({ state, contract }) {
		const address = contract.owner_address;
		if (!isAddress(address)) throw new ContractValidateError("Invalid ownerAddress");
		if (contract.brokerage < 0 || contract.brokerage > 100) {
			throw new ContractValidateError("Invalid brokerage");
		}
		if (!state.witness.has(address)) {
			throw new ContractValidateError(`Not existed witness:${toHex(address)}`);
		}
		if (!state.account.has(address)) throw new ContractValidateError("Account does not exist");
	},

	execute({ state, contract }) {
		setBrokerageSetting(state, contract.owner_address, contract.brokerage);
	},
});
