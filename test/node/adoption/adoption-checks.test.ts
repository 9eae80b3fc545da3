import { beforeEach, describe, expect, test } from "vitest";
import { bookDifferences } from "../../../src/node/adoption/adoption-checks.js";
import { pairKey } from "../../../src/node/market/keys.js";
import { levelOf, levelOrders } from "../../../src/node/market/order-book.js";
import type { StateView } from "../../../src/node/state/view.js";
import { tokenBytes } from "../../../src/node/tokens/token-store.js";
import { be64, toHex } from "../../../src/protocol/bytes.js";
import {
	MarketAccountOrder,
	MarketCancelOrderContract,
	MarketOrder,
	MarketOrderIdList,
	MarketOrderState,
	MarketSellAssetContract,
} from "../../../src/protocol/messages.js";
import { giveAccount, openTokenState, run } from "../contracts/contract-chain.js";

const A = "1000001";
const B = "1000002";

let state: StateView;
let owner: Uint8Array;
let ids: readonly Uint8Array[];

function sell(id: string, quantity: number, forId: string, price: number): Uint8Array {
	const order = MarketSellAssetContract.create({
		owner_address: owner,
		sell_token_id: tokenBytes(id),
		sell_token_quantity: BigInt(quantity),
		buy_token_id: tokenBytes(forId),
		buy_token_quantity: BigInt(price),
	});
	return run(state, "MarketSellAssetContract", order).orderId;
}

const order = (at: number): Readonly<MarketOrder> =>
	state.marketOrder.get(ids[at] as Uint8Array) as MarketOrder;
const change = (at: number, fields: Partial<MarketOrder>): void =>
	state.marketOrder.put(ids[at] as Uint8Array, Object.assign(MarketOrder.copy(order(at)), fields));
const name = (at: number): string => toHex(ids[at] as Uint8Array);

beforeEach(async () => {
	state = await openTokenState();
	owner = giveAccount(state, 1, 0n, { [A]: 1_000_000n, [B]: 1_000_000n });
	// Two orders at one price, one dearer, one of the other way that no price of those meets.
	ids = [sell(A, 10, B, 20), sell(A, 5, B, 10), sell(A, 10, B, 30), sell(B, 10, A, 90)];
});

describe("an order book", () => {
	test("that the rules made has no difference", async () => {
		expect(await bookDifferences(state)).toEqual([]);
		const cancel = MarketCancelOrderContract.create({ owner_address: owner, order_id: ids[0] as Uint8Array });
		run(state, "MarketCancelOrderContract", cancel);
		expect(await bookDifferences(state)).toEqual([]);
	});

	test("without orders has none", async () => {
		expect(await bookDifferences(await openTokenState())).toEqual([]);
	});

	test.each<[string, () => void, () => readonly string[]]>([
		[
			"an order that is gone",
			() => state.marketOrder.delete(ids[2] as Uint8Array),
			() => [
				`the order ${name(2)} of the order book is missing`,
				`the account ${toHex(owner)} has 3 orders in the order book, and its record says 4`,
			],
		],
		[
			"a circle",
			() => change(1, { next: ids[0] as Uint8Array }),
			() => [`the order ${name(0)} of the order book is in the book twice`],
		],
		[
			"an order that ended",
			() => change(3, { state: MarketOrderState.CANCELED }),
			() => [`the order ${name(3)} of the order book is not active`],
		],
		[
			"an order of another price",
			() => change(3, { buy_token_quantity: 91n }),
			() => [`the order ${name(3)} of the order book is of another price than its place`],
		],
		[
			"a broken link",
			() => change(1, { prev: new Uint8Array(0) }),
			() => [`the order ${name(1)} of the order book does not name the order before it`],
		],
		[
			"another last order",
			() => {
				const level = levelOf(order(0));
				const list = MarketOrderIdList.copy(levelOrders(state, level));
				list.tail = ids[0] as Uint8Array;
				state.marketPairPriceToOrder.put(level, list);
			},
			() => [`the last order of the price ${toHex(levelOf(order(0)))} is not the one that its list names`],
		],
		[
			"another count of prices",
			() => state.marketPairToPrice.put(pairKey(tokenBytes(A), tokenBytes(B)), be64(3n)),
			() => [
				`the pair ${toHex(tokenBytes(A))}/${toHex(tokenBytes(B))} has 2 prices in the order book, and its count says 3`,
			],
		],
		[
			"no count of prices",
			() => state.marketPairToPrice.delete(pairKey(tokenBytes(B), tokenBytes(A))),
			() => [
				`the pair ${toHex(tokenBytes(B))}/${toHex(tokenBytes(A))} has 1 prices in the order book, and no count`,
			],
		],
		[
			"another count of an account's orders",
			() => {
				const record = MarketAccountOrder.copy(state.marketAccount.get(owner) as MarketAccountOrder);
				record.count = 5n;
				state.marketAccount.put(owner, record);
			},
			() => [`the account ${toHex(owner)} has 4 orders in the order book, and its record says 5`],
		],
		[
			"no record of an account",
			() => state.marketAccount.delete(owner),
			() => [`the account ${toHex(owner)} has 4 orders in the order book, and no record of them`],
		],
	])("with %s is told", async (_, damage, expected) => {
		damage();
		expect(await bookDifferences(state)).toEqual(expected());
	});

	test("with many differences is told by the first ten", async () => {
		for (let i = 0; i < 15; i++)
			state.marketPairToPrice.put(pairKey(tokenBytes(`${i}`), tokenBytes(B)), be64(1n));
		const told = await bookDifferences(state);
		expect(told).toHaveLength(11);
		expect(told.at(-1)).toBe("the order book has 5 more differences");
	});
});
