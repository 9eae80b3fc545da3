/** The four exchange transaction types (protocol/exchange), with their shared checks and arithmetic. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import type { Message } from "../../protocol/codec/descriptor.js";
import { checked, checkedAdd, checkedMul, checkedSub, toDouble, wrap } from "../../protocol/int64.js";
import {
	Account,
	Exchange,
	type ExchangeCreateContract,
	type ExchangeInjectContract,
	type ExchangeTransactionContract,
	type ExchangeWithdrawContract,
} from "../../protocol/messages.js";
import { divideHalfUp, exactTradeOutput, tradeOutput } from "../exchange/curve.js";
import { historicalPow } from "../exchange/historical-pow.js";
import { findExchange, type PairSide, saveExchange, sideOf, withBalances } from "../exchange/pair.js";
import { strictPow } from "../exchange/strict-pow.js";
import { sinkFee } from "../resources/balance.js";
import { admissionOf } from "../rules/admission.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { give, holdsToken, take } from "../tokens/holdings.js";
import { isCoin, isCoinOrTokenNumber, namesByNumber } from "../tokens/token-store.js";
import { executeArithmetic, validateArithmetic } from "./arithmetic.js";
import { type ContractModule, defineContract } from "./contract.js";

// Arithmetic of the four types: sums, and what happens if they overflow (protocol/exchange §2.1).

/** Whether arithmetic is exact: #98. */
const isExchangeExact = (state: StateView): boolean =>
	state.properties.on("ALLOW_HARDEN_EXCHANGE_CALCULATION");

/**
 * How sums are reduced to 64 bits: they wrap or, with #98, must not overflow. @throws {OverflowError} `long
 * overflow`, with #98
 */
export function sumsOf(state: StateView): (sum: bigint) => bigint {
	return isExchangeExact(state) ? (sum) => checked(sum) : wrap;
}

/** Defines a type whose arithmetic errors are rejections. */
function defineExchangeContract<T extends Message>(module: ContractModule<T>): ContractModule {
	return defineContract<T>({
		...module,
		validate(context) {
			admissionOf(context.rules).exchangeWork(validateArithmetic, () => module.validate(context));
		},
		execute(context, result) {
			admissionOf(context.rules).exchangeWork(executeArithmetic, () => module.execute(context, result));
		},
	});
}

// Shared checks of the types that use an existing pair, in the network's order (protocol/exchange §3).

/** Fields common to contracts on a pair. */
interface PairContract {
	readonly owner_address: Uint8Array;
	readonly exchange_id: bigint;
	readonly token_id: Uint8Array;
}

interface CheckedPair {
	readonly account: Readonly<Account>;
	readonly exchange: Readonly<Exchange>;
	/** The pair as seen from the contract's token. */
	readonly side: PairSide;
}

const notInPair = {
	inject: "token id is not in exchange",
	withdraw: "token is not in exchange",
	transaction: "token is not in exchange",
} as const;

/** @throws {ContractValidateError} */
export function checkPair(
	state: StateView,
	contract: PairContract,
	action: keyof typeof notInPair,
): CheckedPair {
	const { owner_address, exchange_id, token_id } = contract;
	if (!isAddress(owner_address)) throw new ContractValidateError("Invalid address");
	const account = state.account.get(owner_address);
	if (!account) throw new ContractValidateError(`account[${toHex(owner_address)}] not exists`);
	if (account.balance < 0n) {
		throw new ContractValidateError(`No enough balance for exchange ${action} fee!`);
	}
	const exchange = findExchange(state, exchange_id);
	if (!exchange) throw new ContractValidateError(`Exchange[${exchange_id}] not exists`);
	if (action !== "transaction" && !equalBytes(owner_address, exchange.creator_address)) {
		throw new ContractValidateError(`account[${toHex(owner_address)}] is not creator`);
	}
	if (namesByNumber(state) && !isCoinOrTokenNumber(token_id)) {
		throw new ContractValidateError("token id is not a valid number");
	}
	const side = sideOf(exchange, token_id);
	if (!side) throw new ContractValidateError(notInPair[action]);
	return { account, exchange, side };
}

/** The pair of a validated contract. */
function pairOf(state: StateView, contract: PairContract): Pick<CheckedPair, "exchange" | "side"> {
	const exchange = findExchange(state, contract.exchange_id);
	const side = exchange && sideOf(exchange, contract.token_id);
	if (!exchange || !side) throw new Error(`exchange ${contract.exchange_id} is missing`);
	return { exchange, side };
}

/** A pair that has run out of either token is closed. @throws {ContractValidateError} */
function checkPairIsOpen({ side }: CheckedPair): void {
	if (side.balance === 0n || side.otherBalance === 0n) {
		throw new ContractValidateError("Token balance in exchange is equal with 0,the exchange has been closed");
	}
}

/** Checks that an account holds an amount of the coin or a token. @throws {ContractValidateError} */
export function checkFunds(
	state: StateView,
	account: Readonly<Account>,
	id: Uint8Array,
	amount: bigint,
	tokenMessage: string,
): void {
	if (isCoin(id)) {
		if (account.balance < amount) throw new ContractValidateError("balance is not enough");
	} else if (!holdsToken(state, account, id, amount)) {
		throw new ContractValidateError(tokenMessage);
	}
}

/** ExchangeCreateContract (protocol/exchange §2): opens a pair, funded by the creator. */
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

/** ExchangeInjectContract (protocol/exchange §4): the creator adds both tokens to a pair, at its current ratio. */
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
		// Validation multiplies in big integers, execution in 64 bits: some injections pass validation but can't be executed.
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

/** Maximum share of the other token that may be lost to rounding. */
const MAX_LOSS = 0.0001;

/** ExchangeWithdrawContract (protocol/exchange §5): the creator withdraws both tokens from a pair, at its current ratio. */
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

/** Units of the other token withdrawn along. @throws {OverflowError} */
function otherQuant({ balance, otherBalance }: PairSide, quant: bigint): bigint {
	return checked((otherBalance * quant) / balance, "Overflow");
}

/**
 * Whether the rounding loss in the other token is small enough: compares the exact share, rounded to four
 * decimals and then to binary64, with the whole units in binary64.
 * @param other whole units of the other token, above 0
 */
export function isPrecise({ balance, otherBalance }: PairSide, quant: bigint, other: bigint): boolean {
	const tenThousandths = divideHalfUp(otherBalance * quant * 10_000n, balance);
	const decimals = (tenThousandths % 10_000n).toString().padStart(4, "0");
	const share = Number(`${tenThousandths / 10_000n}.${decimals}`);
	const whole = toDouble(other);
	return (share - whole) / whole <= MAX_LOSS;
}

/** Like {@link isPrecise}, but in exact decimals: with #98. */
export function isExactlyPrecise({ balance, otherBalance }: PairSide, quant: bigint, other: bigint): boolean {
	const tenThousandths = divideHalfUp(otherBalance * quant * 10_000n, balance);
	return tenThousandths - 10_000n * other <= other;
}

/** ExchangeTransactionContract (protocol/exchange §6): sells a token into a pair at the price of its curve. */
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
		// Without #98, nothing prevents the other balance from becoming negative (protocol/exchange §6).
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
