/** Exchanges and the market (protocol/http-endpoints §3.5). */

import { be64 } from "../../../protocol/bytes.js";
import { nullPointer } from "../../../protocol/json/exceptions.js";
import {
	BytesMessage,
	Exchange,
	ExchangeList,
	MarketOrder,
	MarketOrderList,
	MarketOrderPair,
	MarketOrderPairList,
	MarketPriceList,
} from "../../../protocol/messages.js";
import { allExchanges, exchangeStore, pageOfExchanges } from "../../exchange/pair.js";
import {
	marketOrderById,
	marketOrdersOfAccount,
	marketOrdersOfPair,
	marketPairs,
	marketPrices,
} from "../../market/queries.js";
import {
	defineEndpoint,
	type Endpoint,
	EVERYWHERE,
	hexParameter,
	messageRequest,
	pageRequest,
	printed,
	visibleOnly,
} from "../endpoint.js";
import { addressRequest, nameParameter, numberRequest } from "../text-forms.js";

const pairRequest = messageRequest(MarketOrderPair, {
	sell_token_id: nameParameter,
	buy_token_id: nameParameter,
});

export const exchangeEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "listexchanges",
		about: "All exchanges, newest first.",
		post: "query",
		servers: EVERYWHERE,
		readsState: true,
		request: visibleOnly,
		reply: printed(ExchangeList),
		handle: ({ state }) => allExchanges(state),
	}),
	defineEndpoint({
		name: "getexchangebyid",
		about: "One exchange.",
		servers: EVERYWHERE,
		readsState: true,
		request: numberRequest("id"),
		reply: printed(Exchange),
		handle: ({ state }, id) => {
			const exchange = exchangeStore(state).get(be64(id));
			if (!exchange) throw nullPointer();
			return exchange;
		},
	}),
	defineEndpoint({
		name: "getpaginatedexchangelist",
		about: "A page of all exchanges, by number.",
		servers: ["full"],
		readsState: true,
		request: pageRequest,
		reply: printed(ExchangeList),
		handle: ({ state }, { offset, limit }) => pageOfExchanges(state, offset, limit),
	}),
	defineEndpoint({
		name: "getmarketorderbyaccount",
		about: "The active orders of an account.",
		servers: EVERYWHERE,
		readsState: true,
		request: addressRequest("value"),
		reply: printed(MarketOrderList),
		handle: ({ state }, owner) => marketOrdersOfAccount(state, owner),
	}),
	defineEndpoint({
		name: "getmarketorderbyid",
		about: "One order.",
		post: "raw",
		servers: EVERYWHERE,
		readsState: true,
		request: messageRequest(BytesMessage, { value: hexParameter }),
		reply: printed(MarketOrder),
		handle: ({ state }, { value }) => (value.length === 0 ? undefined : marketOrderById(state, value)),
	}),
	defineEndpoint({
		name: "getmarketorderlistbypair",
		about: "The orders of a pair, cheapest first.",
		post: "raw",
		servers: EVERYWHERE,
		readsState: true,
		request: pairRequest,
		reply: printed(MarketOrderList),
		handle: ({ state }, { sell_token_id, buy_token_id }) =>
			marketOrdersOfPair(state, sell_token_id, buy_token_id),
	}),
	defineEndpoint({
		name: "getmarketpricebypair",
		about: "The prices of a pair, cheapest first.",
		post: "raw",
		servers: EVERYWHERE,
		readsState: true,
		request: pairRequest,
		reply: printed(MarketPriceList),
		handle: ({ state }, { sell_token_id, buy_token_id }) => marketPrices(state, sell_token_id, buy_token_id),
	}),
	defineEndpoint({
		name: "getmarketpairlist",
		about: "Pairs that have orders.",
		post: "raw",
		servers: EVERYWHERE,
		readsState: true,
		request: visibleOnly,
		reply: printed(MarketOrderPairList),
		handle: ({ state }) => marketPairs(state),
	}),
];
