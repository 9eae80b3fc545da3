/**
 * Matches a new order (the taker) with orders of the opposite pair (the makers; protocol/market §5).
 *
 * Both sides are paid at the maker's price, in whole units; a remainder from rounding is refunded to the side that can't be
 * filled any further. Also tracks an account's active orders, and how many it has ever placed (§1).
 */

import { equalBytes, toKey } from "../../protocol/bytes.js";
import {
	Account,
	MarketAccountOrder,
	MarketOrder,
	MarketOrderDetail,
	MarketOrderState,
} from "../../protocol/messages.js";
import { ContractExecuteError } from "../rules/errors.js";
import { priceOfKey } from "../state/price-key.js";
import type { StateView } from "../state/view.js";
import { give } from "../tokens/holdings.js";
import { pairKey } from "./keys.js";
import { closeLevel, existingOrder, levelOrders, priceLevels, unlinkOrder } from "./order-book.js";

/** Maximum matches per transaction. */
const MAX_MATCHES = 20;

/** The new order and its owner; both are written by the caller. */
interface Taker {
	readonly order: MarketOrder;
	readonly account: Account;
}

/**
 * Matches the taker as far as prices allow.
 * @returns the trades, in order of execution
 * @throws {ContractExecuteError} if more than {@link MAX_MATCHES} makers would be needed
 */
export function matchOrder(state: StateView, taker: Taker): MarketOrderDetail[] {
	const { order } = taker;
	const pair = pairKey(order.buy_token_id, order.sell_token_id);
	const details: MarketOrderDetail[] = [];
	let matches = 0;
	for (const level of priceLevels(state, pair, MAX_MATCHES + 1)) {
		if (order.sell_token_quantity_remain <= 0n) break;
		const price = priceOfKey(toKey(level));
		if (order.sell_token_quantity * price.sell < order.buy_token_quantity * price.buy) break;
		let makerId = levelOrders(state, level).head;
		while (makerId.length > 0 && order.sell_token_quantity_remain > 0n) {
			const maker = MarketOrder.copy(existingOrder(state, makerId));
			const detail = matchOne(state, taker, maker);
			if (detail) details.push(detail);
			if (maker.sell_token_quantity_remain === 0n) unlinkOrder(state, maker);
			matches++;
			if (matches > MAX_MATCHES) {
				throw new ContractExecuteError(`Too many matches. MAX_MATCH_NUM = ${MAX_MATCHES}`);
			}
			makerId = levelOrders(state, level).head;
		}
		if (makerId.length === 0 && closeLevel(state, pair, level)) break;
	}
	return details;
}

/** Matches two orders. @returns undefined if there was only a refund */
function matchOne(state: StateView, taker: Taker, maker: MarketOrder): MarketOrderDetail | undefined {
	const { order } = taker;
	const { INACTIVE } = MarketOrderState;
	const offered = order.sell_token_quantity_remain;
	const makerRemain = maker.sell_token_quantity_remain;
	const wanted = (offered * maker.sell_token_quantity) / maker.buy_token_quantity;
	if (wanted === 0n) {
		order.sell_token_quantity_return = offered;
		order.sell_token_quantity_remain = 0n;
		give(state, taker.account, order.sell_token_id, offered);
		endOrder(state, order, INACTIVE);
		return undefined;
	}
	if (wanted < makerRemain) {
		order.sell_token_quantity_remain = 0n;
		endOrder(state, order, INACTIVE);
		maker.sell_token_quantity_remain = makerRemain - wanted;
		return exchange(state, taker, maker, wanted, offered);
	}
	const paid = (makerRemain * maker.buy_token_quantity) / maker.sell_token_quantity;
	maker.sell_token_quantity_remain = 0n;
	if (wanted > makerRemain && paid === 0n) {
		maker.sell_token_quantity_return = makerRemain;
		giveStored(state, maker.owner_address, maker.sell_token_id, makerRemain);
		endOrder(state, maker, INACTIVE);
		return undefined;
	}
	order.sell_token_quantity_remain = offered - paid;
	if (wanted === makerRemain && order.sell_token_quantity_remain === 0n) endOrder(state, order, INACTIVE);
	endOrder(state, maker, INACTIVE);
	return exchange(state, taker, maker, makerRemain, paid);
}

/** Writes the maker's order and pays both sides. */
function exchange(
	state: StateView,
	{ order, account }: Taker,
	maker: Readonly<MarketOrder>,
	takerReceives: bigint,
	makerReceives: bigint,
): MarketOrderDetail {
	state.marketOrder.put(maker.order_id, MarketOrder.copy(maker));
	give(state, account, order.buy_token_id, takerReceives);
	giveStored(state, maker.owner_address, maker.buy_token_id, makerReceives);
	return MarketOrderDetail.create({
		makerOrderId: maker.order_id,
		takerOrderId: order.order_id,
		fillSellQuantity: makerReceives,
		fillBuyQuantity: takerReceives,
	});
}

/**
 * Credits an account's stored record. If the taker matches its own order, its in-memory record is written
 * later and overwrites this: what it earned as maker is lost, as on the network.
 */
function giveStored(state: StateView, address: Uint8Array, id: Uint8Array, amount: bigint): void {
	const account = Account.copy(state.account.existing(address));
	give(state, account, id, amount);
	state.account.put(address, account);
}

/** An account's order record; empty if it has never placed an order. */
export function accountOrders(state: StateView, owner: Uint8Array): Readonly<MarketAccountOrder> {
	return state.marketAccount.get(owner) ?? MarketAccountOrder.create({ owner_address: owner });
}

/** Adds a new active order to its owner's record. */
export function addActiveOrder(state: StateView, order: Readonly<MarketOrder>): void {
	const record = MarketAccountOrder.copy(accountOrders(state, order.owner_address));
	record.orders = [...record.orders, order.order_id];
	record.count += 1n;
	record.total_count += 1n;
	state.marketAccount.put(order.owner_address, record);
}

/** Ends an order, which the caller writes, and removes it from its owner's active ones. */
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
