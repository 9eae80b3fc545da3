/** The orders of an account: the active ones, and how many it has ever placed (protocol/market §1). */

import { equalBytes } from "../../protocol/bytes.js";
import { MarketAccountOrder, type MarketOrder, type MarketOrderState } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

/** The record of an account, an empty one if it has placed no order. */
export function accountOrders(state: StateView, owner: Uint8Array): Readonly<MarketAccountOrder> {
	return state.marketAccount.get(owner) ?? MarketAccountOrder.create({ owner_address: owner });
}

/** Counts a new active order of its owner. */
export function addActiveOrder(state: StateView, order: Readonly<MarketOrder>): void {
	const record = MarketAccountOrder.copy(accountOrders(state, order.owner_address));
	record.orders = [...record.orders, order.order_id];
	record.count += 1n;
	record.total_count += 1n;
	state.marketAccount.put(order.owner_address, record);
}

/** Ends an order, which the caller writes: it leaves the active ones of its owner. */
export function endOrder(
	state: StateView,
	order: MarketOrder,
	end: typeof MarketOrderState.INACTIVE | typeof MarketOrderState.CANCELED,
): void {
	order.state = end;
	const record = MarketAccountOrder.copy(accountOrders(state, order.owner_address));
	record.orders = record.orders.filter((id) => !equalBytes(id, order.order_id));
	record.count -= 1n;
	state.marketAccount.put(order.owner_address, record);
}
