/** ExchangeCreateContract (protocol/exchange §2): opens a pair with balances of the creator. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { Account, Exchange, type ExchangeCreateContract } from "../../protocol/messages.js";
import { saveExchange } from "../exchange/pair.js";
import { sinkFee } from "../resources/balance.js";
import { ContractValidateError } from "../rules/errors.js";
import { take } from "../tokens/holdings.js";
import { isCoin, isCoinOrTokenNumber } from "../tokens/token-id.js";
import { namesByNumber } from "../tokens/token-store.js";
import { defineExchangeContract, sumsOf } from "./exchange-arithmetic.js";
import { checkFunds } from "./exchange-checks.js";

export const exchangeCreate = defineExchangeContract<ExchangeCreateContract>({
	type: "ExchangeCreateContract",

	validate({ state, contract }) {
		const { first_token_id, first_token_balance, second_token_id, second_token_balance } = contract;
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const account = state.account.get(contract.owner_address);
		if (!account) throw new ContractValidateError(`account[${toHex(contract.owner_address)}] not exists`);
		const fee = state.properties.get("EXCHANGE_CREATE_FEE");
		if (account.balance < fee) {
			throw new ContractValidateError("No enough balance for exchange create fee!");
		}
		if (namesByNumber(state)) {
			if (!isCoinOrTokenNumber(first_token_id)) {
				throw new ContractValidateError("first token id is not a valid number");
			}
			if (!isCoinOrTokenNumber(second_token_id)) {
				throw new ContractValidateError("second token id is not a valid number");
			}
		}
		if (equalBytes(first_token_id, second_token_id)) {
			throw new ContractValidateError("cannot exchange same tokens");
		}
		if (first_token_balance <= 0n || second_token_balance <= 0n) {
			throw new ContractValidateError("token balance must greater than zero");
		}
		const fit = sumsOf(state);
		const limit = state.properties.get("EXCHANGE_BALANCE_LIMIT");
		if (first_token_balance > limit || second_token_balance > limit) {
			throw new ContractValidateError(`token balance must less than ${limit}`);
		}
		const sides = [
			[first_token_id, first_token_balance, "first token balance is not enough"],
			[second_token_id, second_token_balance, "second token balance is not enough"],
		] as const;
		for (const [id, balance, message] of sides) {
			checkFunds(state, account, id, isCoin(id) ? fit(balance + fee) : balance, message);
		}
	},

	execute({ state, rules, contract }, result) {
		const { properties } = state;
		const { first_token_id, first_token_balance, second_token_id, second_token_balance } = contract;
		const fee = properties.get("EXCHANGE_CREATE_FEE");
		const fit = sumsOf(state);
		const account = Account.copy(state.account.existing(contract.owner_address));
		account.balance = fit(account.balance - fee);
		take(state, account, first_token_id, first_token_balance, fit);
		take(state, account, second_token_id, second_token_balance, fit);
		const id = fit(properties.get("LATEST_EXCHANGE_NUM") + 1n);
		saveExchange(
			state,
			Exchange.create({
				exchange_id: id,
				creator_address: contract.owner_address,
				create_time: properties.headTimestampMs,
				first_token_id,
				first_token_balance,
				second_token_id,
				second_token_balance,
			}),
		);
		state.account.put(contract.owner_address, account);
		properties.set("LATEST_EXCHANGE_NUM", id);
		sinkFee(state, rules, fee);
		result.exchange_id = id;
		result.fee = fee;
	},
});
