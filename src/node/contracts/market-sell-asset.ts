/** MarketSellAssetContract (protocol/market §4): offers a token for another one, and matches the offer at once. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { checkedAdd, wrap } from "../../protocol/int64.js";
import { Account, MarketOrder, type MarketSellAssetContract } from "../../protocol/messages.js";
import { orderId } from "../market/keys.js";
import { accountOrders, addActiveOrder, matchOrder } from "../market/matching.js";
import { appendOrder } from "../market/order-book.js";
import { sinkFee } from "../resources/balance.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { holdsToken, take } from "../tokens/holdings.js";
import { isCoin, isCoinOrTokenNumber } from "../tokens/token-id.js";
import { findToken } from "../tokens/token-store.js";
import { defineContract } from "./contract.js";
import { checkMarketOpen } from "./market-gate.js";

/** Active orders that an account may have. */
const MAX_ACTIVE_ORDERS = 100n;

export const marketSellAsset = defineContract<MarketSellAssetContract>({
	type: "MarketSellAssetContract",

	validate({ state, contract }) {
		const { owner_address, sell_token_id, sell_token_quantity, buy_token_id, buy_token_quantity } = contract;
		checkMarketOpen(state);
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
		// Read once and written at the end: payments to the stored record in between are lost (protocol/market §5).
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
