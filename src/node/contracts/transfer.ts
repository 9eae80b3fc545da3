/** TransferContract (protocol/permissions §1.5): sends coins; the recipient is created if it doesn't exist. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { checkedAdd } from "../../protocol/int64.js";
import { AccountType, type TransferContract } from "../../protocol/messages.js";
import { adjustBalance, newAccount, sinkFee } from "../resources/balance.js";
import { ContractValidateError } from "../rules/errors.js";
import { validateArithmetic } from "./arithmetic.js";
import { type ContractContext, defineContract, spacedTwice } from "./contract.js";

export const transfer = defineContract<TransferContract>({
	type: "TransferContract",
	parameterRefusal: spacedTwice,

	validate(context) {
		const { state, contract } = context;
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress!");
		if (!isAddress(contract.to_address)) throw new ContractValidateError("Invalid toAddress!");
		if (equalBytes(contract.to_address, contract.owner_address)) {
			throw new ContractValidateError("Cannot transfer COIN to yourself.");
		}
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError("Validate TransferContract error, no OwnerAccount.");
		if (contract.amount <= 0n) throw new ContractValidateError("Amount must be greater than 0.");
		refuseContractRecipient(context);
		const recipient = state.account.get(contract.to_address);
		validateArithmetic(() => {
			if (owner.balance < checkedAdd(contract.amount, transferFee(context))) {
				throw new ContractValidateError("Validate TransferContract error, balance is not sufficient.");
			}
			if (recipient) checkedAdd(recipient.balance, contract.amount);
		});
	},

	execute(context, result) {
		const { state, rules, contract } = context;
		const fee = transferFee(context);
		if (!state.account.has(contract.to_address)) {
			state.account.put(contract.to_address, newAccount(state, contract.to_address, AccountType.Normal));
		}
		adjustBalance(state, contract.owner_address, -(fee + contract.amount));
		sinkFee(state, rules, fee);
		adjustBalance(state, contract.to_address, contract.amount);
		result.fee = fee;
	},
});

/** Fee of the transfer itself: charged only if it creates the recipient. */
function transferFee({ state, contract }: ContractContext<TransferContract>): bigint {
	return state.account.has(contract.to_address)
		? 0n
		: state.properties.get("CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT");
}

function refuseContractRecipient({ state, contract }: ContractContext<TransferContract>): void {
	if (state.account.get(contract.to_address)?.type !== AccountType.Contract) return;
	if (state.properties.on("FORBID_TRANSFER_TO_CONTRACT")) {
		throw new ContractValidateError("Cannot transfer COIN to a smartContract.");
	}
	if (!state.properties.on("ALLOW_TVM_COMPATIBLE_EVM")) return;
	const deployed = state.contract.get(contract.to_address);
	if (!deployed) {
		throw new ContractValidateError("Account type is Contract, but it is not exist in contract store.");
	}
	if (deployed.version === 1) {
		throw new ContractValidateError(
			"Cannot transfer COIN to a smartContract which version is one. Instead please use TriggerSmartContract ",
		);
	}
}
