/** Tokens, exchange pairs and the order book (protocol/grpc §2.2). */

import { exchangeStore } from "../../../exchange/pair.js";
import { allExchanges, pageOfExchanges } from "../../../exchange/queries.js";
import {
	marketOrderById,
	marketOrdersOfAccount,
	marketOrdersOfPair,
	marketPairs,
	marketPrices,
} from "../../../market/queries.js";
import { RuntimeRuleError } from "../../../rules/errors.js";
import {
	allTokens,
	pageOfTokens,
	tokenById,
	tokenByName,
	tokensByName,
	tokensOfAccount,
} from "../../../tokens/queries.js";
import { type Handlers, withReason } from "../method.js";

export const markets = {
	GetAssetIssueByAccount: ({ state }, { address }) => tokensOfAccount(state, address),
	GetAssetIssueByName: ({ state }, { value }) => {
		try {
			return value.length === 0 ? undefined : tokenByName(state, value);
		} catch (error) {
			// Several tokens of one name are told by an empty answer.
			if (error instanceof RuntimeRuleError) return undefined;
			throw error;
		}
	},
	GetAssetIssueListByName: ({ state }, { value }) =>
		value.length === 0 ? undefined : tokensByName(state, value),
	GetAssetIssueById: ({ state }, { value }) => tokenById(state, value),
	GetAssetIssueList: ({ state }) => allTokens(state),
	GetPaginatedAssetIssueList: ({ state }, { offset, limit }) => pageOfTokens(state, offset, limit),
	ListExchanges: ({ state }) => allExchanges(state),
	GetExchangeById: ({ state }, { value }) => exchangeStore(state).get(value),
	GetPaginatedExchangeList: ({ state }, { offset, limit }) => pageOfExchanges(state, offset, limit),
	GetMarketOrderById: withReason(({ state }, { value }) =>
		value.length === 0 ? undefined : marketOrderById(state, value),
	),
	GetMarketOrderByAccount: withReason(({ state }, { value }) => marketOrdersOfAccount(state, value)),
	GetMarketPriceByPair: withReason(({ state }, { sell_token_id, buy_token_id }) =>
		marketPrices(state, sell_token_id, buy_token_id),
	),
	GetMarketOrderListByPair: withReason(({ state }, { sell_token_id, buy_token_id }) =>
		marketOrdersOfPair(state, sell_token_id, buy_token_id),
	),
	GetMarketPairList: withReason(({ state }) => marketPairs(state)),
} satisfies Partial<Handlers<"Wallet">>;
