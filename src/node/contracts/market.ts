/** Market transaction types (protocol/market). */

import { isAddress } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { checkedAdd, wrap } from "../../protocol/int64.js";
import {
	Account,
	type MarketCancelOrderContract,
	MarketOrder,
	MarketOrderState,
	type MarketSellAssetContract,
} from "../../protocol/messages.js";
import { orderId, pairKey } from "../market/keys.js";
import { accountOrders, addActiveOrder, endOrder, matchOrder } from "../market/matching.js";
import { appendOrder, closeLevel, existingOrder, levelOf, unlinkOrder } from "../market/order-book.js";
import { sinkFee } from "../resources/balance.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { give, holdsToken, take } from "../tokens/holdings.js";
import { findToken, isCoin, isCoinOrTokenNumber } from "../tokens/token-store.js";
import { defineContract } from "./contract.js";

/** @throws {ContractValidateError} while the market is off */
function checkMarketOpen(state: StateView): void {
	if (state.properties.on("ALLOW_MARKET_TRANSACTION")) return;
	throw new ContractValidateError("Not support Market Transaction, need to be opened by the committee");
}

/** Maximum active orders per account. */
const MAX_ACTIVE_ORDERS = 100n;

/** MarketSellAssetContract (protocol/market §4): places a sell order, and matches it immediately. */
export const marketSellAsset = defineContract<MarketSellAssetContract>({
	type: "MarketSellAssetContract",
	opening: checkMarketOpen,

	validate({ state, contract }) {
		const { owner_address, sell_token_id, sell_token_quantity, buy_token_id, buy_token_quantity } = contract;
		if (!isAddress(owner_address)) throw new ContractValidateError("Invalid address");
		const account = state.account.get(owner_address);
		if (!account) throw new ContractValidateError("Account does not exist!");
		if (!isCoinOrTokenNumber(sell_token_id)) {
			throw new ContractValidateError("sellTokenId is not a valid number");
		}
		if (!isCoinOrTokenNumber(buy_token_id)) {
			throw new ContractValidateError("buyTokenId is not a valid number");
		}
		if (equalBytes(sell_token_id, buy_token_id)) {
			throw new ContractValidateError("cannot exchange same tokens");
		}
		if (sell_token_quantity <= 0n || buy_token_quantity <= 0n) {
			throw new ContractValidateError("token quantity must greater than zero");
		}
		const limit = state.properties.get("MARKET_QUANTITY_LIMIT");
		if (sell_token_quantity > limit || buy_token_quantity > limit) {
			throw new ContractValidateError(`token quantity must less than ${limit}`);
		}
		if (accountOrders(state, owner_address).count >= MAX_ACTIVE_ORDERS) {
			throw new ContractValidateError(`Maximum number of orders exceeded\uff0c${MAX_ACTIVE_ORDERS}`);
		}
		checkSeller(state, account, contract);
		if (!isCoin(buy_token_id) && !findToken(state, buy_token_id)) {
			throw new ContractValidateError("No buyTokenId !");
		}
	},

	execute({ state, rules, contract }, result) {
		const { owner_address, sell_token_id, sell_token_quantity, buy_token_id, buy_token_quantity } = contract;
		const fee = state.properties.get("MARKET_SELL_FEE");
		// Read once and written at the end; payments to the stored record in between are lost, as on the network
		// (protocol/market §5).
		const account = Account.copy(state.account.existing(owner_address));
		account.balance = wrap(account.balance - fee);
		sinkFee(state, rules, fee);
		take(state, account, sell_token_id, sell_token_quantity);

		const placed = accountOrders(state, owner_address).total_count;
		const order = MarketOrder.create({
			order_id: orderId(owner_address, sell_token_id, buy_token_id, placed),
			owner_address,
			create_time: state.properties.headTimestampMs,
			sell_token_id,
			sell_token_quantity,
			buy_token_id,
			buy_token_quantity,
			sell_token_quantity_remain: sell_token_quantity,
		});
		addActiveOrder(state, order);
		result.orderDetails = matchOrder(state, { order, account });
		if (order.sell_token_quantity_remain !== 0n) appendOrder(state, order);
		state.marketOrder.put(order.order_id, order);
		state.account.put(owner_address, account);
		result.orderId = order.order_id;
		result.fee = fee;
	},
});

function checkSeller(
	state: StateView,
	account: Readonly<Account>,
	{ sell_token_id, sell_token_quantity }: Readonly<MarketSellAssetContract>,
): void {
	const fee = state.properties.get("MARKET_SELL_FEE");
	const coins = isCoin(sell_token_id) ? checkedAdd(sell_token_quantity, fee) : fee;
	if (account.balance < coins) throw new ContractValidateError("No enough balance !");
	if (isCoin(sell_token_id)) return;
	if (!findToken(state, sell_token_id)) throw new ContractValidateError("No sellTokenId !");
	if (!holdsToken(state, account, sell_token_id, sell_token_quantity)) {
		throw new ContractValidateError("SellToken balance is not enough !");
	}
}

/** MarketCancelOrderContract (protocol/market §6): removes an active order from the book and refunds the unsold rest. */
export const marketCancelOrder = defineContract<MarketCancelOrderContract>({
	type: "MarketCancelOrderContract",
	opening: checkMarketOpen,

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const account = state.account.get(contract.owner_address);
		if (!account) throw new ContractValidateError("Account does not exist!");
		const order = state.marketOrder.get(contract.order_id);
		if (!order) throw new ContractValidateError("orderId not exists");
		if (order.state !== MarketOrderState.ACTIVE) throw new ContractValidateError("Order is not active!");
		if (!equalBytes(order.owner_address, contract.owner_address)) {
			throw new ContractValidateError("Order does not belong to the account!");
		}
		if (account.balance < state.properties.get("MARKET_CANCEL_FEE")) {
			throw new ContractValidateError("No enough balance !");
		}
	},

	execute({ state, rules, contract }, result) {
		const fee = state.properties.get("MARKET_CANCEL_FEE");
		const account = Account.copy(state.account.existing(contract.owner_address));
		account.balance = wrap(account.balance - fee);
		sinkFee(state, rules, fee);
		const order = MarketOrder.copy(existingOrder(state, contract.order_id));
		give(state, account, order.sell_token_id, order.sell_token_quantity_remain);
		order.sell_token_quantity_remain = 0n;
		endOrder(state, order, MarketOrderState.CANCELED);
		state.account.put(contract.owner_address, account);
		if (unlinkOrder(state, order)) {
			closeLevel(state, pairKey(order.sell_token_id, order.buy_token_id), levelOf(order));
		}
		result.fee = fee;
	},
});
