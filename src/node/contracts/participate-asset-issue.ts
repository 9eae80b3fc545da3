/** ParticipateAssetIssueContract (protocol/tokens §5): buys units of a token from its issuer, at the price of the issue. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, fromUtf8, toHex } from "../../protocol/bytes.js";
import { checkedAdd, checkedMul, checkedSub } from "../../protocol/int64.js";
import {
	Account,
	type AssetIssueContract,
	type ParticipateAssetIssueContract,
} from "../../protocol/messages.js";
import { quoting } from "../../protocol/quoting-message.js";
import { ContractExecuteError, ContractValidateError } from "../rules/errors.js";
import { addToken, holdsToken, takeToken } from "../tokens/holdings.js";
import { findToken } from "../tokens/token-store.js";
import { defineContract } from "./contract.js";
import { executeArithmetic } from "./execute-arithmetic.js";
import { validateArithmetic } from "./validate-arithmetic.js";

export const participateAssetIssue = defineContract<ParticipateAssetIssueContract>({
	type: "ParticipateAssetIssueContract",

	validate({ state, contract }) {
		const { owner_address, to_address, asset_name, amount } = contract;
		if (!isAddress(owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		if (!isAddress(to_address)) throw new ContractValidateError("Invalid toAddress");
		if (amount <= 0n) throw new ContractValidateError("Amount must greater than 0!");
		if (equalBytes(owner_address, to_address)) {
			throw new ContractValidateError("Cannot participate asset Issue yourself !");
		}
		const buyer = state.account.get(owner_address);
		if (!buyer) throw new ContractValidateError("Account does not exist!");
		if (buyer.balance < amount) throw new ContractValidateError("No enough balance !");
		const token = findToken(state, asset_name);
		if (!token) {
			const name = asset_name.length > 0 ? fromUtf8(asset_name) : "null";
			throw new ContractValidateError(quoting`No asset named ${name}`);
		}
		if (!equalBytes(to_address, token.owner_address)) {
			throw new ContractValidateError(`The asset is not issued by ${toHex(to_address)}`);
		}
		const now = state.properties.headTimestampMs;
		if (now >= token.end_time || now < token.start_time) {
			throw new ContractValidateError("No longer valid period!");
		}
		const bought = validateArithmetic(() => unitsFor(token, amount));
		if (bought <= 0n) throw new ContractValidateError("Can not process the exchange!");
		const issuer = state.account.get(to_address);
		if (!issuer) throw new ContractValidateError("To account does not exist!");
		if (!holdsToken(state, issuer, asset_name, bought)) {
			throw new ContractValidateError("Asset balance is not enough !");
		}
	},

	execute({ state, contract }, result) {
		const { owner_address, to_address, asset_name, amount } = contract;
		const token = findToken(state, asset_name) as Readonly<AssetIssueContract>;
		executeArithmetic(() => {
			const bought = unitsFor(token, amount);
			const buyer = Account.copy(state.account.existing(owner_address));
			buyer.balance = checkedSub(buyer.balance, amount);
			addToken(state, buyer, asset_name, bought);
			const issuer = Account.copy(state.account.existing(to_address));
			issuer.balance = checkedAdd(issuer.balance, amount);
			if (!takeToken(state, issuer, asset_name, bought)) {
				throw new ContractExecuteError("reduceAssetAmount failed !");
			}
			state.account.put(owner_address, buyer);
			state.account.put(to_address, issuer);
		});
		result.fee = 0n;
	},
});

/** Units of a token that an amount of sun buys; a remainder is not given back. @throws {OverflowError} */
function unitsFor(token: Readonly<AssetIssueContract>, amountSun: bigint): bigint {
	return checkedMul(amountSun, BigInt(token.num)) / BigInt(token.coin_num);
}
