/** ExchangeInjectContract (protocol/exchange §4): the creator adds to a pair, both tokens in its present ratio. */

import { checked, checkedMul } from "../../protocol/int64.js";
import { Account, type ExchangeInjectContract } from "../../protocol/messages.js";
import { saveExchange, withBalances } from "../exchange/pair.js";
import { ContractValidateError } from "../rules/errors.js";
import { take } from "../tokens/holdings.js";
import { defineExchangeContract, sumsOf } from "./exchange-arithmetic.js";
import { checkFunds, checkPair, checkPairIsOpen, pairOf } from "./exchange-checks.js";

export const exchangeInject = defineExchangeContract<ExchangeInjectContract>({
	type: "ExchangeInjectContract",

	validate({ state, contract }) {
		const { token_id, quant } = contract;
		const pair = checkPair(state, contract, "inject");
		checkPairIsOpen(pair);
		if (quant <= 0n) throw new ContractValidateError("injected token quant must greater than zero");
		const { balance, otherId, otherBalance } = pair.side;
		const other = checked((otherBalance * quant) / balance, "BigInteger out of long range");
		if (other <= 0n) throw new ContractValidateError("the calculated token quant  must be greater than 0");
		const fit = sumsOf(state);
		const limit = state.properties.get("EXCHANGE_BALANCE_LIMIT");
		if (fit(balance + quant) > limit || fit(otherBalance + other) > limit) {
			throw new ContractValidateError(`token balance must less than ${limit}`);
		}
		checkFunds(state, pair.account, token_id, quant, "token balance is not enough");
		checkFunds(state, pair.account, otherId, other, "another token balance is not enough");
	},

	execute({ state, contract }, result) {
		const { owner_address, token_id, quant } = contract;
		const { exchange, side } = pairOf(state, contract);
		// The checks multiply in big integers, the effect in 64 bits: some injections pass and can't be carried out.
		const other = checkedMul(side.otherBalance, quant) / side.balance;
		const fit = sumsOf(state);
		const account = Account.copy(state.account.existing(owner_address));
		take(state, account, token_id, quant, fit);
		take(state, account, side.otherId, other, fit);
		state.account.put(owner_address, account);
		saveExchange(
			state,
			withBalances(exchange, token_id, fit(side.balance + quant), fit(side.otherBalance + other)),
		);
		result.exchange_inject_another_amount = other;
		result.fee = 0n;
	},
});
