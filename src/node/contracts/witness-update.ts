/** WitnessUpdateContract (protocol/staking §6.3): changes the url of a witness. */

import { isAddress } from "../../protocol/address.js";
import { fromUtf8 } from "../../protocol/bytes.js";
import { Witness, type WitnessUpdateContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { halfSpaced } from "./parameter-type.js";
import { isWitnessUrl } from "./witness-create.js";

export const witnessUpdate = defineContract<WitnessUpdateContract>({
	type: "WitnessUpdateContract",
	parameterRefusal: halfSpaced,

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		if (!state.account.has(contract.owner_address)) throw new ContractValidateError("account does not exist");
		if (!isWitnessUrl(contract.update_url)) throw new ContractValidateError("Invalid url");
		if (!state.witness.has(contract.owner_address)) throw new ContractValidateError("Witness does not exist");
	},

	execute({ state, contract }) {
		const witness = Witness.copy(state.witness.get(contract.owner_address) as Readonly<Witness>);
		witness.url = fromUtf8(contract.update_url);
		state.witness.put(contract.owner_address, witness);
	},
});
