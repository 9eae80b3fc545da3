/**
 * The order book: price levels per pair of tokens, and per level a list of orders, oldest first, linked
 * through the orders themselves (protocol/market).
 */

import { be64, fromKey, readBe64, toHex, toKey } from "../../protocol/bytes.js";
import { MarketOrder, MarketOrderIdList } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";
import { headKey, pairKey, priceKey } from "./keys.js";

const NO_ORDER = new Uint8Array(0);
const EMPTY_LIST = new MarketOrderIdList();

/** The order with an id referenced by the book or an account. */
export function existingOrder(state: StateView, id: Uint8Array): Readonly<MarketOrder> {
	const order = state.marketOrder.get(id);
	if (!order) throw new Error(`market order ${toHex(id)} is missing`);
	return order;
}

/** Keys of a pair's price levels, cheapest first. PERF: cost depends only on the limit. */
export function priceLevels(state: StateView, pair: Uint8Array, limit: number): Uint8Array[] {
	const head = toKey(headKey(pair));
	const prefix = toKey(pair);
	const levels: Uint8Array[] = [];
	for (const key of state.marketPairPriceToOrder.keysFrom(head)) {
		if (levels.length === limit || !key.startsWith(prefix)) break;
		if (key !== head) levels.push(fromKey(key));
	}
	return levels;
}

/** A level's order list; empty if the level doesn't exist. */
export function levelOrders(state: StateView, level: Uint8Array): Readonly<MarketOrderIdList> {
	return state.marketPairPriceToOrder.get(level) ?? EMPTY_LIST;
}

/** The level that an order belongs to. */
export function levelOf(order: Readonly<MarketOrder>): Uint8Array {
	return priceKey(
		pairKey(order.sell_token_id, order.buy_token_id),
		order.sell_token_quantity,
		order.buy_token_quantity,
	);
}

/** Appends an order, which the caller writes, to its level. */
export function appendOrder(state: StateView, order: MarketOrder): void {
	const level = levelOf(order);
	if (!state.marketPairPriceToOrder.has(level)) openLevel(state, order);
	const list = MarketOrderIdList.copy(levelOrders(state, level));
	if (list.head.length === 0) {
		list.head = order.order_id;
	} else {
		relink(state, list.tail, { next: order.order_id });
		order.prev = list.tail;
	}
	list.tail = order.order_id;
	state.marketPairPriceToOrder.put(level, list);
}

/** Counts an order's new level. A pair's first level also creates the pair's head key, which is never deleted. */
function openLevel(state: StateView, order: Readonly<MarketOrder>): void {
	const pair = pairKey(order.sell_token_id, order.buy_token_id);
	const count = state.marketPairToPrice.get(pair);
	if (count === undefined) state.marketPairPriceToOrder.put(headKey(pair), EMPTY_LIST);
	state.marketPairToPrice.put(pair, be64((count === undefined ? 0n : readBe64(count)) + 1n));
}

/** Removes an order from its level and writes it. @returns whether the level is now empty */
export function unlinkOrder(state: StateView, order: MarketOrder): boolean {
	const level = levelOf(order);
	const list = MarketOrderIdList.copy(levelOrders(state, level));
	const { prev, next } = order;
	if (prev.length > 0) relink(state, prev, { next });
	else list.head = next;
	if (next.length > 0) relink(state, next, { prev });
	else list.tail = prev;
	order.prev = NO_ORDER;
	order.next = NO_ORDER;
	state.marketOrder.put(order.order_id, order);
	state.marketPairPriceToOrder.put(level, list);
	return list.head.length === 0;
}

function relink(state: StateView, id: Uint8Array, links: Partial<Pick<MarketOrder, "prev" | "next">>): void {
	const order = MarketOrder.copy(existingOrder(state, id));
	if (links.prev) order.prev = links.prev;
	if (links.next) order.next = links.next;
	state.marketOrder.put(id, order);
}

/** Deletes an empty level. @returns whether it was the last one of its pair */
export function closeLevel(state: StateView, pair: Uint8Array, level: Uint8Array): boolean {
	state.marketPairPriceToOrder.delete(level);
	const count = readBe64(state.marketPairToPrice.get(pair) ?? be64(0n)) - 1n;
	if (count === 0n) state.marketPairToPrice.delete(pair);
	else state.marketPairToPrice.put(pair, be64(count));
	return count === 0n;
}
