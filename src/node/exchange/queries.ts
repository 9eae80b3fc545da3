/** Questions about exchange pairs (protocol/exchange §10). */

import { be64 } from "../../protocol/bytes.js";
import { minInt } from "../../protocol/int64.js";
import { type Exchange, ExchangeList } from "../../protocol/messages.js";
import { valuesInStoreOrder } from "../state/store-order.js";
import type { StateView } from "../state/view.js";
import { namesByNumber } from "../tokens/token-store.js";
import { exchangeStore } from "./pair.js";

/** The longest page of a list. */
const MAX_PAGE = 1_000n;

/** All pairs, the newest first; pairs of the same time in the order of the store. */
export function allExchanges(state: StateView): ExchangeList {
	const exchanges = valuesInStoreOrder(namesByNumber(state) ? state.exchangeV2 : state.exchange);
	exchanges.sort((a, b) => Number(b.create_time - a.create_time));
	return ExchangeList.create({ exchanges });
}

/** Pairs by ascending id, after the first `offset` ids; undefined if the page lies outside all ids. */
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
