/** MarketCancelOrderContract (protocol/market §6): takes an active order out of the book and gives its rest back. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { wrap } from "../../protocol/int64.js";
import {
	Account,
	type MarketCancelOrderContract,
	MarketOrder,
	MarketOrderState,
} from "../../protocol/messages.js";
import { pairKey } from "../market/keys.js";
import { endOrder } from "../market/matching.js";
import { closeLevel, existingOrder, levelOf, unlinkOrder } from "../market/order-book.js";
import { sinkFee } from "../resources/balance.js";
import { ContractValidateError } from "../rules/errors.js";
import { give } from "../tokens/holdings.js";
import { defineContract } from "./contract.js";
import { checkMarketOpen } from "./market-gate.js";

export const marketCancelOrder = defineContract<MarketCancelOrderContract>({
	type: "MarketCancelOrderContract",

	validate({ state, contract }) {
		checkMarketOpen(state);
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
