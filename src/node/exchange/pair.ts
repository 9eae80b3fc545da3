/** Exchange pair records (protocol/exchange), and queries of them (§10). */

import { be64, equalBytes } from "../../protocol/bytes.js";
import { minInt } from "../../protocol/int64.js";
import { Exchange, ExchangeList } from "../../protocol/messages.js";
import { valuesInStoreOrder } from "../state/store-order.js";
import type { StateView, Store } from "../state/view.js";
import { isCoin, namesByNumber, tokenBytes, tokenNumber } from "../tokens/token-store.js";

/** A pair seen from one of its tokens. */
export interface PairSide {
	/** The pair's balance of this token. */
	readonly balance: bigint;
	/** The pair's other token, and its balance. */
	readonly otherId: Uint8Array;
	readonly otherBalance: bigint;
}

/** The pair records in current use. */
export function exchangeStore(state: StateView): Store<Readonly<Exchange>> {
	return namesByNumber(state) ? state.exchangeV2 : state.exchange;
}

export function findExchange(state: StateView, id: bigint): Readonly<Exchange> | undefined {
	return exchangeStore(state).get(be64(id));
}

/** Stores a pair; while tokens are identified by name, also a copy with token numbers. */
export function saveExchange(state: StateView, exchange: Readonly<Exchange>): void {
	const key = be64(exchange.exchange_id);
	exchangeStore(state).put(key, exchange);
	if (namesByNumber(state)) return;
	const numbered = Exchange.copy(exchange);
	numbered.first_token_id = numberedId(state, exchange.first_token_id);
	numbered.second_token_id = numberedId(state, exchange.second_token_id);
	state.exchangeV2.put(key, numbered);
}

function numberedId(state: StateView, id: Uint8Array): Uint8Array {
	return isCoin(id) ? id : tokenBytes(tokenNumber(state, id));
}

/** The pair as seen from a token; undefined if the token isn't one of the two. */
export function sideOf(exchange: Readonly<Exchange>, token: Uint8Array): PairSide | undefined {
	const { first_token_id, first_token_balance, second_token_id, second_token_balance } = exchange;
	if (equalBytes(token, first_token_id)) {
		return { balance: first_token_balance, otherId: second_token_id, otherBalance: second_token_balance };
	}
	if (equalBytes(token, second_token_id)) {
		return { balance: second_token_balance, otherId: first_token_id, otherBalance: first_token_balance };
	}
	return undefined;
}

/** A copy of the pair with new balances of a token and the other one. */
export function withBalances(
	exchange: Readonly<Exchange>,
	token: Uint8Array,
	balance: bigint,
	otherBalance: bigint,
): Exchange {
	const copy = Exchange.copy(exchange);
	const isFirst = equalBytes(token, exchange.first_token_id);
	copy.first_token_balance = isFirst ? balance : otherBalance;
	copy.second_token_balance = isFirst ? otherBalance : balance;
	return copy;
}

/** Maximum page size of a list. */
const MAX_PAGE = 1_000n;

/** All pairs, newest first; pairs of the same time in store order. */
export function allExchanges(state: StateView): ExchangeList {
	const exchanges = valuesInStoreOrder(namesByNumber(state) ? state.exchangeV2 : state.exchange);
	exchanges.sort((a, b) => Number(b.create_time - a.create_time));
	return ExchangeList.create({ exchanges });
}

/** Pairs by ascending id, after the first `offset` ids; undefined if the page is out of range. */
export function pageOfExchanges(state: StateView, offset: bigint, limit: bigint): ExchangeList | undefined {
	const latest = state.properties.get("LATEST_EXCHANGE_NUM");
	if (offset < 0n || limit < 0n || latest <= offset) return undefined;
	const end = minInt(offset + minInt(limit, MAX_PAGE), latest);
	const exchanges: Readonly<Exchange>[] = [];
	for (let id = offset + 1n; id <= end; id++) {
		const exchange = exchangeStore(state).get(be64(id));
		if (exchange) exchanges.push(exchange);
	}
	return ExchangeList.create({ exchanges });
}
