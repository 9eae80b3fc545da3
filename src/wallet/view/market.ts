/** The order book as a node describes it (protocol/http-endpoints §3.5, protocol/market). */

import { toBase58Check } from "../../protocol/address.js";
import { fromUtf8, toHex, utf8 } from "../../protocol/bytes.js";
import {
	MarketOrder,
	MarketOrderList,
	MarketOrderPairList,
	MarketOrderStateEnum,
	MarketPriceList,
} from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient, NodeView } from "../node/node-client.js";
import { isOrderMissing } from "../node/node-messages.js";

interface OrderView {
	readonly order: string;
	readonly owner: string;
	readonly state: string;
	/** Epoch milliseconds. */
	readonly created: bigint;
	/** Token id, or `_` for the coin. */
	readonly sells: string;
	/** Smallest units. */
	readonly sellAmount: bigint;
	readonly buys: string;
	readonly buyAmount: bigint;
	/** The part still to be sold. */
	readonly remains: bigint;
	/** The remainder that was refunded because it was too small to be sold. */
	readonly returned?: bigint | undefined;
}

export function viewOrder(order: Readonly<MarketOrder>): OrderView {
	return {
		order: toHex(order.order_id),
		owner: toBase58Check(order.owner_address),
		state: MarketOrderStateEnum.names.get(order.state) ?? String(order.state),
		created: order.create_time,
		sells: fromUtf8(order.sell_token_id),
		sellAmount: order.sell_token_quantity,
		buys: fromUtf8(order.buy_token_id),
		buyAmount: order.buy_token_quantity,
		remains: order.sell_token_quantity_remain,
		returned: order.sell_token_quantity_return > 0n ? order.sell_token_quantity_return : undefined,
	};
}

/** Reads an order's id. @throws {Failure} `bad_value` */
export function parseOrderId(text: string): string {
	const digits = text.trim().replace(/^0x/i, "").toLowerCase();
	if (!/^[0-9a-f]{64}$/.test(digits))
		throw new Failure("bad_value", `"${text}" is not an order: its id has 64 hex digits`);
	return digits;
}

/** One order; undefined if there is none. @param id 64 hex digits */
export async function orderById(
	client: NodeClient,
	id: string,
	view: NodeView,
): Promise<Readonly<MarketOrder> | undefined> {
	try {
		const answer = await client.call("getmarketorderbyid", { value: id }, view);
		return Object.keys(answer).length === 0 ? undefined : messageFrom(MarketOrder, answer);
	} catch (error) {
		if (error instanceof Failure && isOrderMissing(error)) return undefined;
		throw error;
	}
}

/** The active orders of an account, oldest first. */
export async function ordersOfAccount(
	client: NodeClient,
	account: Uint8Array,
	view: NodeView,
): Promise<readonly Readonly<MarketOrder>[]> {
	const answer = await client.call("getmarketorderbyaccount", { value: toHex(account) }, view);
	return messageFrom(MarketOrderList, answer).orders;
}

/** A pair by its token ids, from the sellers' side. */
interface MarketPair {
	readonly sells: string;
	readonly buys: string;
}

function pairRequest({ sells, buys }: MarketPair): object {
	return { sell_token_id: toHex(utf8(sells)), buy_token_id: toHex(utf8(buys)) };
}

/** The orders of a pair, cheapest first. */
export async function ordersOfPair(
	client: NodeClient,
	pair: MarketPair,
	view: NodeView,
): Promise<readonly Readonly<MarketOrder>[]> {
	const answer = await client.call("getmarketorderlistbypair", pairRequest(pair), view);
	return messageFrom(MarketOrderList, answer).orders;
}

/** A price level: units sold and units wanted for them, as a reduced fraction. */
interface PriceView {
	readonly sellAmount: bigint;
	readonly buyAmount: bigint;
}

/** The price levels of a pair, cheapest first. */
export async function pricesOfPair(
	client: NodeClient,
	pair: MarketPair,
	view: NodeView,
): Promise<readonly PriceView[]> {
	const answer = await client.call("getmarketpricebypair", pairRequest(pair), view);
	return messageFrom(MarketPriceList, answer).prices.map((price) => ({
		sellAmount: price.sell_token_quantity,
		buyAmount: price.buy_token_quantity,
	}));
}

/** Pairs that have orders. */
export async function fetchMarketPairs(client: NodeClient, view: NodeView): Promise<readonly MarketPair[]> {
	const answer = await client.call("getmarketpairlist", {}, view);
	return messageFrom(MarketOrderPairList, answer).orderPair.map(({ sell_token_id, buy_token_id }) => ({
		sells: fromUtf8(sell_token_id),
		buys: fromUtf8(buy_token_id),
	}));
}
