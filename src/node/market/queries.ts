/** Queries of the order book (protocol/market §8), answered whether or not the market is open. */

import { toKey } from "../../protocol/bytes.js";
import {
	MarketOrder,
	MarketOrderList,
	MarketOrderPair,
	MarketOrderPairList,
	MarketPrice,
	MarketPriceList,
} from "../../protocol/messages.js";
import { RuntimeRuleError } from "../rules/errors.js";
import { priceOfKey } from "../state/price-key.js";
import { keysInStoreOrder } from "../state/store-order.js";
import type { StateView } from "../state/view.js";
import { isCoinOrTokenNumber } from "../tokens/token-store.js";
import { pairKey, tokensOfPair } from "./keys.js";
import { levelOrders, priceLevels } from "./order-book.js";

/** Maximum price levels of a result, and maximum orders before its last level. */
const MAX_ANSWERS = 1_000;

/** Maximum pairs of a result. */
const MAX_PAIRS = 1_001;

/** An order by id, including its links in the book. @throws {RuntimeRuleError} if there is no such order */
export function marketOrderById(state: StateView, id: Uint8Array): Readonly<MarketOrder> {
	const order = state.marketOrder.get(id);
	if (!order) throw new RuntimeRuleError("IllegalStateException", "order not found in store");
	return order;
}

/** The active orders of an account, oldest first; undefined if it has never placed one. */
export function marketOrdersOfAccount(state: StateView, owner: Uint8Array): MarketOrderList | undefined {
	const record = state.marketAccount.get(owner);
	if (!record) return undefined;
	return MarketOrderList.create({
		orders: record.orders.map((id) => withoutPlace(marketOrderById(state, id))),
	});
}

/**
 * The prices at which a pair's orders sell, the cheapest first, in lowest terms.
 * @throws {RuntimeRuleError} if an id is neither the coin's nor a number
 */
export function marketPrices(state: StateView, sellId: Uint8Array, buyId: Uint8Array): MarketPriceList {
	const pair = checkedPair(sellId, buyId);
	const prices = priceLevels(state, pair, MAX_ANSWERS).map((level) => {
		const { sell, buy } = priceOfKey(toKey(level));
		return MarketPrice.create({ sell_token_quantity: sell, buy_token_quantity: buy });
	});
	return MarketPriceList.create({ sell_token_id: sellId, buy_token_id: buyId, prices });
}

/**
 * The orders of a pair: the cheapest level first, the oldest first inside a level.
 * @throws {RuntimeRuleError} if an id is neither the coin's nor a number
 */
export function marketOrdersOfPair(state: StateView, sellId: Uint8Array, buyId: Uint8Array): MarketOrderList {
	const pair = checkedPair(sellId, buyId);
	const orders: MarketOrder[] = [];
	for (const level of priceLevels(state, pair, MAX_ANSWERS)) {
		let id = levelOrders(state, level).head;
		// The limit is checked after an order is added, so a result may exceed it by one.
		while (id.length > 0 && orders.length <= MAX_ANSWERS) {
			const order = marketOrderById(state, id);
			orders.push(withoutPlace(order));
			id = order.next;
		}
		if (orders.length >= MAX_ANSWERS) break;
	}
	return MarketOrderList.create({ orders });
}

/** The pairs that have orders, in store order. */
export function marketPairs(state: StateView): MarketOrderPairList {
	const pairs = keysInStoreOrder(state.marketPairToPrice).slice(0, MAX_PAIRS);
	return MarketOrderPairList.create({
		orderPair: pairs.map((pair) => {
			const { sellId, buyId } = tokensOfPair(pair);
			return MarketOrderPair.create({ sell_token_id: sellId, buy_token_id: buyId });
		}),
	});
}

function checkedPair(sellId: Uint8Array, buyId: Uint8Array): Uint8Array {
	if (!isCoinOrTokenNumber(sellId)) {
		throw new RuntimeRuleError("BadItemException", "sellTokenId is not a valid number");
	}
	if (!isCoinOrTokenNumber(buyId)) {
		throw new RuntimeRuleError("BadItemException", "buyTokenId is not a valid number");
	}
	return pairKey(sellId, buyId);
}

function withoutPlace(order: Readonly<MarketOrder>): MarketOrder {
	const copy = MarketOrder.copy(order);
	copy.prev = new Uint8Array(0);
	copy.next = new Uint8Array(0);
	return copy;
}
