import { expect, test } from "vitest";
import { utf8 } from "../../../src/protocol/bytes.js";
import { MarketOrder } from "../../../src/protocol/messages.js";
import { Failure } from "../../../src/wallet/failure.js";
import { orderById, parseOrderId, pricesOfPair, viewOrder } from "../../../src/wallet/view/market.js";
import { answering } from "../answering-client.js";

const ID = "ab".repeat(32);

test("an order's id is 64 hex digits, with or without a prefix", () => {
	expect(parseOrderId(` 0x${ID.toUpperCase()} `)).toBe(ID);
	for (const text of [ID.slice(1), `${ID}0`, "x"])
		expect(() => parseOrderId(text)).toThrow(/is not an order/);
});

test("an order that is missing is one that the node answers with nothing, or refuses as missing", async () => {
	const missing = new Failure("rpc_error", "order not found in store", {
		node: { code: "ItemNotFoundException", message: "order not found in store" },
	});
	expect(await orderById(answering({ getmarketorderbyid: {} }).client, ID, "full")).toBeUndefined();
	expect(await orderById(answering({ getmarketorderbyid: missing }).client, ID, "full")).toBeUndefined();
	const broken = answering({ getmarketorderbyid: new Failure("network", "broken") });
	await expect(orderById(broken.client, ID, "full")).rejects.toMatchObject({ code: "network" });
});

test("an order shows what was returned only where something was", () => {
	const order = MarketOrder.create({
		sell_token_id: utf8("_"),
		buy_token_id: utf8("1000001"),
		sell_token_quantity: 9n,
		sell_token_quantity_remain: 4n,
	});
	expect(viewOrder(order)).toMatchObject({ sells: "_", buys: "1000001", sellAmount: 9n, remains: 4n });
	expect(viewOrder(order).returned).toBeUndefined();
	expect(viewOrder(MarketOrder.create({ ...order, sell_token_quantity_return: 2n })).returned).toBe(2n);
});

test("the prices of a pair are asked for by the bytes of the tokens' ids", async () => {
	const { client, asked } = answering({
		getmarketpricebypair: { prices: [{ sell_token_quantity: 1n, buy_token_quantity: 3n }] },
	});
	expect(await pricesOfPair(client, { sells: "_", buys: "7" }, "solidity")).toEqual([
		{ sellAmount: 1n, buyAmount: 3n },
	]);
	expect(asked[0]).toMatchObject({ request: { sell_token_id: "5f", buy_token_id: "37" }, view: "solidity" });
});
