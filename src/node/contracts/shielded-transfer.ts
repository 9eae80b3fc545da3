/**
 * ShieldedTransferContract (protocol/parameters §4.2): a transfer between shielded addresses of the chain itself. No proposal can
 * switch it on, so its checks end at its gates on every network.
 */

import type { ShieldedTransferContract } from "../../protocol/messages.js";
import { ContractExecuteError, ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";

const NOT_SUPPORTED = "Not support Shielded Transaction, need to be opened by the committee";

export const shieldedTransfer = defineContract<ShieldedTransferContract>({
	type: "ShieldedTransferContract",

	validate({ state }) {
		if (!state.properties.on("ALLOW_SAME_TOKEN_NAME")) {
			throw new ContractValidateError(
				"shielded transaction is not allowed before ALLOW_SAME_TOKEN_NAME is opened by the committee",
			);
		}
		if (!state.properties.on("ALLOW_SHIELDED_TRANSACTION")) throw new ContractValidateError(NOT_SUPPORTED);
		throw new ContractValidateError(
			"this node has no proving system for transfers between shielded addresses",
		);
	},

	execute() {
		throw new ContractExecuteError(NOT_SUPPORTED);
	},
});
