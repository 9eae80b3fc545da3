import { beforeEach, describe, expect, it } from "vitest";
import { headKey, orderId, pairKey, priceKey } from "../../../src/node/market/keys.js";
import { existingOrder } from "../../../src/node/market/order-book.js";
import { marketOrdersOfPair, marketPairs, marketPrices } from "../../../src/node/market/queries.js";
import type { StateView } from "../../../src/node/state/view.js";
import { COIN_ID, tokenBytes } from "../../../src/node/tokens/token-store.js";
import { fromHex, readBe64, toHex } from "../../../src/protocol/bytes.js";
import {
	MarketCancelOrderContract,
	MarketOrder,
	MarketOrderState,
	MarketSellAssetContract,
	type TransactionResult,
} from "../../../src/protocol/messages.js";
import { check, giveAccount, openTokenState, run } from "./contract-chain.js";

const A = "1000001";
const B = "1000002";
const RICH = { [A]: 1_000_000n, [B]: 1_000_000n };

let state: StateView;
let maker: Uint8Array;
let taker: Uint8Array;

beforeEach(async () => {
	state = await openTokenState();
	maker = giveAccount(state, 1, 0n, RICH);
	taker = giveAccount(state, 2, 0n, RICH);
});

function sell(
	owner: Uint8Array,
	id: string,
	quantity: number,
	forId: string,
	price: number,
): TransactionResult {
	return run(
		state,
		"MarketSellAssetContract",
		MarketSellAssetContract.create({
			owner_address: owner,
			sell_token_id: tokenBytes(id),
			sell_token_quantity: BigInt(quantity),
			buy_token_id: tokenBytes(forId),
			buy_token_quantity: BigInt(price),
		}),
	);
}

function cancel(owner: Uint8Array, order: Uint8Array): TransactionResult {
	return run(
		state,
		"MarketCancelOrderContract",
		MarketCancelOrderContract.create({ owner_address: owner, order_id: order }),
	);
}

/** What an account has gained of a token since the start. */
const gain = (owner: Uint8Array, id: string): bigint =>
	(state.account.existing(owner).assetV2.get(id) ?? 0n) - 1_000_000n;

describe("keys of the order book", () => {
	const owner = fromHex("41abd4b9367799eaa3197fecb144eb71de1e049abc");

	it.each([
		[0n, "42f134fac2ad76dd177cecf25beeafe8421b70e8a9f3214cd0cc331f0decfada"],
		[1n, "abf732e6625508d60e467934b344764b45c3cc0f8d764738f3ac5400521ba6ff"],
	])("give the order after %d others its id", (placed, id) => {
		expect(toHex(orderId(owner, tokenBytes(A), COIN_ID, placed))).toBe(id);
	});

	it("hold the price in lowest terms", () => {
		expect(toHex(priceKey(pairKey(tokenBytes(A), COIN_ID), 200n, 150n))).toBe(
			`31303030303031${"00".repeat(12)}5f${"00".repeat(18)}00000000000000040000000000000003`,
		);
	});
});

describe("a match", () => {
	// protocol/market §5: the maker's order and what is left of it, the taker's amount, who gets what, what stays.
	it.each([
		{ offer: 100, order: [200, 100, 200], taker: 200, maker: 100, rest: 0, makerRest: 0 },
		{ offer: 60, order: [200, 100, 200], taker: 120, maker: 60, rest: 0, makerRest: 80 },
		{ offer: 250, order: [200, 100, 200], taker: 200, maker: 100, rest: 150, makerRest: 0 },
		{ offer: 1, order: [3, 2, 3], taker: 1, maker: 1, rest: 0, makerRest: 2 },
		{ offer: 1, order: [3, 2, 1], taker: 1, maker: 0, rest: 1, makerRest: 0 },
		{ offer: 10, order: [3, 2, 1], taker: 0, maker: 0, rest: 10, makerRest: 0, makerReturned: 1 },
	])("of $offer with an order of $order", (row) => {
		const [sellQuantity, buyQuantity, remain] = row.order as [number, number, number];
		const { orderId: makerId } = sell(maker, A, sellQuantity, B, buyQuantity);
		const started = MarketOrder.copy(existingOrder(state, makerId));
		started.sell_token_quantity_remain = BigInt(remain);
		state.marketOrder.put(makerId, started);

		const { orderId: takerId, orderDetails } = sell(taker, B, row.offer, A, 1);
		const made = existingOrder(state, makerId);
		const taken = existingOrder(state, takerId);
		expect(gain(taker, A)).toBe(BigInt(row.taker));
		expect(gain(taker, B)).toBe(BigInt(-row.offer));
		expect(gain(maker, B)).toBe(BigInt(row.maker));
		expect(taken.sell_token_quantity_remain).toBe(BigInt(row.rest));
		expect(taken.state).toBe(row.rest > 0 ? MarketOrderState.ACTIVE : MarketOrderState.INACTIVE);
		expect(made.sell_token_quantity_remain).toBe(BigInt(row.makerRest));
		expect(made.sell_token_quantity_return).toBe(BigInt(row.makerReturned ?? 0));
		expect(made.state).toBe(row.makerRest > 0 ? MarketOrderState.ACTIVE : MarketOrderState.INACTIVE);
		expect(orderDetails.length).toBe(row.taker > 0 ? 1 : 0);
	});

	it("gives back what is too little for one unit of the maker's token", () => {
		sell(maker, A, 100, B, 200);
		const { orderId: secondId } = sell(maker, A, 100, B, 200);
		const { orderId: takerId, orderDetails } = sell(taker, B, 201, A, 100);
		const taken = existingOrder(state, takerId);
		expect(taken.sell_token_quantity_return).toBe(1n);
		expect(taken.state).toBe(MarketOrderState.INACTIVE);
		expect(gain(taker, B)).toBe(-200n);
		expect(existingOrder(state, secondId).sell_token_quantity_remain).toBe(100n);
		expect(orderDetails.length).toBe(1);
	});

	it("with the taker's own order loses what the maker earned", () => {
		sell(taker, A, 10, B, 10);
		sell(taker, B, 10, A, 10);
		expect(gain(taker, A)).toBe(0n);
		expect(gain(taker, B)).toBe(-10n);
	});

	it("is refused from the twenty-first maker on", () => {
		for (let i = 0; i < 21; i++) sell(maker, A, 1, B, 1);
		expect(() => sell(taker, B, 21, A, 21)).toThrow("Too many matches. MAX_MATCH_NUM = 20");
	});

	it("takes twenty makers", () => {
		for (let i = 0; i < 21; i++) sell(maker, A, 1, B, 1);
		expect(sell(taker, B, 20, A, 20).orderDetails.length).toBe(20);
		expect(state.marketAccount.get(maker)?.count).toBe(1n);
	});

	it("stops at prices above the taker's", () => {
		sell(maker, A, 10, B, 10);
		sell(maker, A, 10, B, 30);
		const { orderDetails, orderId: takerId } = sell(taker, B, 40, A, 20);
		expect(orderDetails.length).toBe(1);
		expect(existingOrder(state, takerId).sell_token_quantity_remain).toBe(30n);
	});
});

describe("the order book", () => {
	const prices = (): string[] =>
		marketPrices(state, tokenBytes(A), tokenBytes(B)).prices.map(
			(price) => `${price.sell_token_quantity}/${price.buy_token_quantity}`,
		);

	it("lists levels from the cheapest price, orders of a level by age", () => {
		const third = sell(maker, A, 10, B, 30).orderId;
		const first = sell(maker, A, 20, B, 10).orderId;
		const second = sell(taker, A, 4, B, 2).orderId;
		expect(prices()).toEqual(["2/1", "1/3"]);
		const orders = marketOrdersOfPair(state, tokenBytes(A), tokenBytes(B)).orders;
		expect(orders.map((order) => toHex(order.order_id))).toEqual([first, second, third].map(toHex));
	});

	it.each([0, 1, 2])("keeps its links when order %d of three is cancelled", (index) => {
		const ids = [0, 1, 2].map(() => sell(maker, A, 10, B, 10).orderId);
		cancel(maker, ids[index] as Uint8Array);
		const left = ids.filter((_, i) => i !== index);
		const list = state.marketPairPriceToOrder.get(priceKey(pairKey(tokenBytes(A), tokenBytes(B)), 1n, 1n));
		expect(toHex(list?.head ?? new Uint8Array())).toBe(toHex(left[0] as Uint8Array));
		expect(toHex(list?.tail ?? new Uint8Array())).toBe(toHex(left[1] as Uint8Array));
		expect(toHex(existingOrder(state, left[0] as Uint8Array).next)).toBe(toHex(left[1] as Uint8Array));
		expect(toHex(existingOrder(state, left[1] as Uint8Array).prev)).toBe(toHex(left[0] as Uint8Array));
		expect(gain(maker, A)).toBe(-20n);
	});

	it("forgets a pair with its last order, but not the pair's head key", () => {
		const pair = pairKey(tokenBytes(A), tokenBytes(B));
		const ids = [sell(maker, A, 10, B, 10).orderId, sell(maker, A, 10, B, 20).orderId];
		expect(readBe64(state.marketPairToPrice.get(pair) as Uint8Array)).toBe(2n);
		cancel(maker, ids[0] as Uint8Array);
		expect(marketPairs(state).orderPair.length).toBe(1);
		cancel(maker, ids[1] as Uint8Array);
		expect(marketPairs(state).orderPair.length).toBe(0);
		expect(prices()).toEqual([]);
		expect(state.marketPairPriceToOrder.has(headKey(pair))).toBe(true);
	});
});

describe("the checks of an order", () => {
	const order = {
		sell_token_id: tokenBytes(A),
		sell_token_quantity: 1n,
		buy_token_id: tokenBytes(B),
		buy_token_quantity: 1n,
	};

	it.each([
		[{ sell_token_id: tokenBytes("01") }, "sellTokenId is not a valid number"],
		[{ buy_token_id: tokenBytes("x") }, "buyTokenId is not a valid number"],
		[{ buy_token_id: tokenBytes(A) }, "cannot exchange same tokens"],
		[{ sell_token_quantity: 0n }, "token quantity must greater than zero"],
		[{ buy_token_quantity: 10n ** 15n + 1n }, "token quantity must less than 1000000000000000"],
		[{ sell_token_id: COIN_ID }, "No enough balance !"],
		[{ sell_token_id: tokenBytes("7") }, "No sellTokenId !"],
		[{ sell_token_quantity: 1_000_001n }, "SellToken balance is not enough !"],
		[{ buy_token_id: tokenBytes("7") }, "No buyTokenId !"],
	])("refuse %o", (change, message) => {
		const contract = MarketSellAssetContract.create({ owner_address: maker, ...order, ...change });
		expect(() => check(state, "MarketSellAssetContract", contract)).toThrow(message);
	});

	it("come after the market's switch", () => {
		state.properties.set("ALLOW_MARKET_TRANSACTION", 0n);
		expect(() => check(state, "MarketSellAssetContract", new MarketSellAssetContract())).toThrow(
			"Not support Market Transaction, need to be opened by the committee",
		);
	});

	it("allow a hundred active orders", () => {
		for (let i = 0; i < 100; i++) sell(maker, A, 1, B, 1);
		expect(() => sell(maker, A, 1, B, 1)).toThrow("Maximum number of orders exceeded\uff0c100");
	});

	it("let only its owner cancel an order, once", () => {
		const { orderId: id } = sell(maker, A, 1, B, 1);
		expect(() => cancel(taker, id)).toThrow("Order does not belong to the account!");
		cancel(maker, id);
		expect(() => cancel(maker, id)).toThrow("Order is not active!");
		expect(() => cancel(maker, new Uint8Array(32))).toThrow("orderId not exists");
	});
});
