/** ExchangeWithdrawContract (protocol/exchange §5): the creator takes out of a pair, both tokens in its present ratio. */

import { checked, toDouble } from "../../protocol/int64.js";
import { Account, type ExchangeWithdrawContract } from "../../protocol/messages.js";
import { divideHalfUp } from "../exchange/exact-curve.js";
import { type PairSide, saveExchange, withBalances } from "../exchange/pair.js";
import { ContractValidateError } from "../rules/errors.js";
import { give } from "../tokens/holdings.js";
import { defineExchangeContract, isExchangeExact, sumsOf } from "./exchange-arithmetic.js";
import { checkPair, checkPairIsOpen, pairOf } from "./exchange-checks.js";

/** The share of the other token that may be lost to rounding. */
const MAX_LOSS = 0.0001;

export const exchangeWithdraw = defineExchangeContract<ExchangeWithdrawContract>({
	type: "ExchangeWithdrawContract",

	validate({ state, contract }) {
		const { quant } = contract;
		const pair = checkPair(state, contract, "withdraw");
		if (quant <= 0n) throw new ContractValidateError("withdraw token quant must greater than zero");
		checkPairIsOpen(pair);
		const other = otherQuant(pair.side, quant);
		if (pair.side.balance < quant || pair.side.otherBalance < other) {
			throw new ContractValidateError("exchange balance is not enough");
		}
		if (other <= 0n) {
			throw new ContractValidateError("withdraw another token quant must greater than zero");
		}
		const precise = isExchangeExact(state) ? isExactlyPrecise : isPrecise;
		if (!precise(pair.side, quant, other)) throw new ContractValidateError("Not precise enough");
	},

	execute({ state, contract }, result) {
		const { owner_address, token_id, quant } = contract;
		const { exchange, side } = pairOf(state, contract);
		const other = otherQuant(side, quant);
		const fit = sumsOf(state);
		const account = Account.copy(state.account.existing(owner_address));
		give(state, account, token_id, quant, fit);
		give(state, account, side.otherId, other, fit);
		state.account.put(owner_address, account);
		saveExchange(
			state,
			withBalances(exchange, token_id, fit(side.balance - quant), fit(side.otherBalance - other)),
		);
		result.exchange_withdraw_another_amount = other;
		result.fee = 0n;
	},
});

/** Units of the other token that go with a withdrawal. @throws {OverflowError} */
function otherQuant({ balance, otherBalance }: PairSide, quant: bigint): bigint {
	return checked((otherBalance * quant) / balance, "Overflow");
}

/**
 * Whether little enough of the other token is lost to rounding: the exact share, to four decimals and then to binary64,
 * is compared with the whole units in binary64.
 * @param other whole units of the other token, above 0
 */
export function isPrecise({ balance, otherBalance }: PairSide, quant: bigint, other: bigint): boolean {
	const tenThousandths = divideHalfUp(otherBalance * quant * 10_000n, balance);
	const decimals = (tenThousandths % 10_000n).toString().padStart(4, "0");
	const share = Number(`${tenThousandths / 10_000n}.${decimals}`);
	const whole = toDouble(other);
	return (share - whole) / whole <= MAX_LOSS;
}

/** The same, all in decimals: with #98. */
export function isExactlyPrecise({ balance, otherBalance }: PairSide, quant: bigint, other: bigint): boolean {
	const tenThousandths = divideHalfUp(otherBalance * quant * 10_000n, balance);
	return tenThousandths - 10_000n * other <= other;
}
