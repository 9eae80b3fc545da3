/** ExchangeTransactionContract (protocol/exchange §6): sells a token into a pair at the price of its curve. */

import { checkedAdd, checkedSub } from "../../protocol/int64.js";
import { Account, type ExchangeTransactionContract } from "../../protocol/messages.js";
import { tradeOutput } from "../exchange/curve.js";
import { exactTradeOutput } from "../exchange/exact-curve.js";
import { historicalPow } from "../exchange/historical-pow.js";
import { type PairSide, saveExchange, withBalances } from "../exchange/pair.js";
import { strictPow } from "../exchange/strict-pow.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { give, take } from "../tokens/holdings.js";
import { defineExchangeContract, isExchangeExact, sumsOf } from "./exchange-arithmetic.js";
import { checkFunds, checkPair, checkPairIsOpen, pairOf } from "./exchange-checks.js";

export const exchangeTransaction = defineExchangeContract<ExchangeTransactionContract>({
	type: "ExchangeTransactionContract",

	validate({ state, contract }) {
		const { token_id, quant, expected } = contract;
		const pair = checkPair(state, contract, "transaction");
		if (quant <= 0n) throw new ContractValidateError("token quant must greater than zero");
		if (expected <= 0n) throw new ContractValidateError("token expected must greater than zero");
		checkPairIsOpen(pair);
		const fit = sumsOf(state);
		const limit = state.properties.get("EXCHANGE_BALANCE_LIMIT");
		if (fit(pair.side.balance + quant) > limit) {
			throw new ContractValidateError(`token balance must less than ${limit}`);
		}
		checkFunds(state, pair.account, token_id, quant, "token balance is not enough");
		if (payout(state, pair.side, quant) < expected) {
			throw new ContractValidateError("token required must greater than expected");
		}
	},

	execute({ state, contract }, result) {
		const { owner_address, token_id, quant } = contract;
		const { exchange, side } = pairOf(state, contract);
		const received = payout(state, side, quant);
		const fit = sumsOf(state);
		const account = Account.copy(state.account.existing(owner_address));
		take(state, account, token_id, quant, fit);
		give(state, account, side.otherId, received, fit);
		state.account.put(owner_address, account);
		// Without #98 nothing keeps the other balance from falling below zero (protocol/exchange §6).
		saveExchange(
			state,
			withBalances(exchange, token_id, fit(side.balance + quant), fit(side.otherBalance - received)),
		);
		result.exchange_received_amount = received;
		result.fee = 0n;
	},
});

/** @throws {ContractValidateError} with #98, if the pair doesn't hold as much */
function payout(state: StateView, { balance, otherBalance }: PairSide, quant: bigint): bigint {
	if (isExchangeExact(state)) {
		const received = exactTradeOutput(balance, otherBalance, quant);
		if (checkedAdd(balance, quant) < 0n || checkedSub(otherBalance, received) < 0n) {
			throw new ContractValidateError("Exchange balance must be >=0 after transaction");
		}
		return received;
	}
	const power = state.properties.on("ALLOW_STRICT_MATH") ? strictPow : historicalPow;
	return tradeOutput(balance, otherBalance, quant, power);
}
