/** TransferAssetContract (protocol/tokens §4): sends units of a token; the recipient is created if it doesn't exist. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { checkedAdd } from "../../protocol/int64.js";
import { Account, AccountType, type TransferAssetContract } from "../../protocol/messages.js";
import { adjustBalance, sinkFee } from "../resources/balance.js";
import { newAccount } from "../resources/new-account.js";
import { ContractExecuteError, ContractValidateError } from "../rules/errors.js";
import { addToken, takeToken, tokenBalance } from "../tokens/holdings.js";
import { findToken } from "../tokens/token-store.js";
import { defineContract } from "./contract.js";
import { executeArithmetic } from "./execute-arithmetic.js";
import { spaced } from "./parameter-type.js";
import { validateArithmetic } from "./validate-arithmetic.js";

export const transferAsset = defineContract<TransferAssetContract>({
	type: "TransferAssetContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		const { properties } = state;
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		if (!isAddress(contract.to_address)) throw new ContractValidateError("Invalid toAddress");
		if (contract.amount <= 0n) throw new ContractValidateError("Amount must be greater than 0.");
		if (equalBytes(contract.owner_address, contract.to_address)) {
			throw new ContractValidateError("Cannot transfer asset to yourself.");
		}
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError("No owner account!");
		if (!findToken(state, contract.asset_name)) throw new ContractValidateError("No asset!");
		const balance = tokenBalance(state, owner, contract.asset_name) ?? 0n;
		if (balance <= 0n) throw new ContractValidateError("assetBalance must be greater than 0.");
		if (contract.amount > balance) throw new ContractValidateError("assetBalance is not sufficient.");
		const recipient = state.account.get(contract.to_address);
		if (!recipient) {
			if (owner.balance < properties.get("CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT")) {
				throw new ContractValidateError("Validate TransferAssetActuator error, insufficient fee.");
			}
			return;
		}
		if (recipient.type === AccountType.Contract && properties.on("FORBID_TRANSFER_TO_CONTRACT")) {
			throw new ContractValidateError("Cannot transfer asset to smartContract.");
		}
		const received = tokenBalance(state, recipient, contract.asset_name);
		if (received !== undefined) validateArithmetic(() => checkedAdd(received, contract.amount));
	},

	execute({ state, rules, contract }, result) {
		const creates = !state.account.has(contract.to_address);
		const fee = creates ? state.properties.get("CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT") : 0n;
		if (creates) {
			state.account.put(contract.to_address, newAccount(state, contract.to_address, AccountType.Normal));
		}
		const owner = Account.copy(state.account.existing(contract.owner_address));
		if (!takeToken(state, owner, contract.asset_name, contract.amount)) {
			throw new ContractExecuteError("reduceAssetAmount failed !");
		}
		state.account.put(contract.owner_address, owner);
		const recipient = Account.copy(state.account.existing(contract.to_address));
		executeArithmetic(() => addToken(state, recipient, contract.asset_name, contract.amount));
		state.account.put(contract.to_address, recipient);
		if (fee > 0n) {
			adjustBalance(state, contract.owner_address, -fee);
			sinkFee(state, rules, fee);
		}
		result.fee = fee;
	},
});
