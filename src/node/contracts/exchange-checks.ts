/** Checks that the contracts on an existing exchange pair share, in the network's order (protocol/exchange §3). */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import type { Account, Exchange } from "../../protocol/messages.js";
import { findExchange, type PairSide, sideOf } from "../exchange/pair.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { holdsToken } from "../tokens/holdings.js";
import { isCoin, isCoinOrTokenNumber } from "../tokens/token-id.js";
import { namesByNumber } from "../tokens/token-store.js";

/** What the contracts on a pair have in common. */
interface PairContract {
	readonly owner_address: Uint8Array;
	readonly exchange_id: bigint;
	readonly token_id: Uint8Array;
}

interface CheckedPair {
	readonly account: Readonly<Account>;
	readonly exchange: Readonly<Exchange>;
	/** The pair from the side of the contract's token. */
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

/** The pair of a contract that has passed its checks. */
export function pairOf(state: StateView, contract: PairContract): Pick<CheckedPair, "exchange" | "side"> {
	const exchange = findExchange(state, contract.exchange_id);
	const side = exchange && sideOf(exchange, contract.token_id);
	if (!exchange || !side) throw new Error(`exchange ${contract.exchange_id} is missing`);
	return { exchange, side };
}

/** A pair without either token can't be used again. @throws {ContractValidateError} */
export function checkPairIsOpen({ side }: CheckedPair): void {
	if (side.balance === 0n || side.otherBalance === 0n) {
		throw new ContractValidateError("Token balance in exchange is equal with 0,the exchange has been closed");
	}
}

/** Checks that an account has an amount of the coin or of a token. @throws {ContractValidateError} */
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
