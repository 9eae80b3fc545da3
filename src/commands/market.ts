/** `coin market …`: the order book. */

import { Flags } from "@oclif/core";
import { equalBytes, fromHex } from "../protocol/bytes.js";
import { MarketCancelOrderContract, MarketSellAssetContract } from "../protocol/messages.js";
import { accountArgument, accountQueryFlags, query } from "../terminal/base/command-row.js";
import { trustFlag } from "../terminal/flags/acting-flags.js";
import { nodeFlags, required, solidityFlag } from "../terminal/flags/flags.js";
import { acting, sendsNow } from "../terminal/sending/rows.js";
import { Failure } from "../wallet/failure.js";
import type { NodeClient } from "../wallet/node/node-client.js";
import {
	type Currency,
	currencyNamed,
	currencyText,
	parseCurrencyAmount,
} from "../wallet/token/token-amount.js";
import { contractOf } from "../wallet/transaction/contract.js";
import { accountOrActive } from "../wallet/transaction/signing.js";
import { quotientText } from "../wallet/values/integer-text.js";
import {
	fetchMarketPairs,
	orderById,
	ordersOfAccount,
	ordersOfPair,
	parseOrderId,
	pricesOfPair,
	viewOrder,
} from "../wallet/view/market.js";

export const MarketCancel = acting({
	takesIds: true,
	summary: "Cancel an order on the market",
	examples: ["<%= config.bin %> market cancel 9c41…"],
	args: {
		order: required("id of the order"),
	},
	plan: async ({ args, flags, actor }) => {
		const orderId = parseOrderId(args.order);
		const { owner, client } = await actor();
		const known = sendsNow(flags) ? await orderById(client, orderId, "full") : undefined;
		if (known && viewOrder(known).state === "CANCELED" && equalBytes(known.owner_address, owner))
			return { nothing: "the order is cancelled already" };
		return {
			...contractOf(MarketCancelOrderContract, { owner_address: owner, order_id: fromHex(orderId) }),
			result: { orderId },
		};
	},
});

export const MarketOrder = query({
	takesIds: true,
	summary: "Show an order of the market",
	examples: ["<%= config.bin %> market order 9c41…"],
	description: "Amounts are in smallest units; _ is the coin.",
	args: {
		order: required("id of the order"),
	},
	flags: {
		...nodeFlags,
		...solidityFlag,
		"or-null": Flags.boolean({ description: "print null if there is none" }),
	},
	run: async ({ args, flags, client, view, print }) => {
		const id = parseOrderId(args.order);
		const order = await orderById(client, id, view);
		if (order) return print.record(viewOrder(order));
		if (flags["or-null"]) return print.scalar(null);
		throw new Failure("not_found", `there is no order ${id}`);
	},
});

export const MarketOrders = query({
	summary: "List the active orders of an account, or of a pair, cheapest first",
	description: "Amounts are in smallest units; _ is the coin.",
	examples: ["<%= config.bin %> market orders --sells 1000001 --buys coin"],
	args: accountArgument,
	flags: {
		...accountQueryFlags,
		sells: Flags.string({ description: "token that is offered", helpValue: "<token>", dependsOn: ["buys"] }),
		buys: Flags.string({ description: "token that is wanted", helpValue: "<token>", dependsOn: ["sells"] }),
	},
	run: async ({ args, flags, settings, client, view, print }) => {
		const { sells, buys } = flags;
		if (args.account !== undefined && sells !== undefined)
			throw new Failure("conflicting_flags", "name an account or a pair, not both");
		const orders =
			sells === undefined || buys === undefined
				? await ordersOfAccount(client, await accountOrActive(settings, args.account), view)
				: await ordersOfPair(client, await pairNamed(client, sells, buys), view);
		print.list(
			orders.map(viewOrder),
			["order", "sells", "sellAmount", "buys", "buyAmount", "remains", "owner"],
			"no orders",
		);
	},
});

async function pairNamed(
	client: NodeClient,
	sells: string,
	buys: string,
): Promise<{ readonly sells: string; readonly buys: string }> {
	const source = { client, offline: false };
	return { sells: (await currencyNamed(source, sells)).id, buys: (await currencyNamed(source, buys)).id };
}

export const MarketPairs = query({
	summary: "List the pairs of tokens that have orders",
	description: "Tokens go by their ids; _ is the coin.",
	examples: ["<%= config.bin %> market pairs"],
	flags: { ...nodeFlags, ...solidityFlag },
	run: async ({ client, view, print }) => {
		const pairs = await fetchMarketPairs(client, view);
		print.list(pairs, ["sells", "buys"], "no pairs");
	},
});

export const MarketPrices = query({
	summary: "List the prices of a pair, cheapest first",
	description:
		"price is what is wanted for one of what is sold, in their decimals; the amounts are in smallest units, reduced.",
	examples: ["<%= config.bin %> market prices 1000001 coin"],
	args: { sells: required("token that is offered"), buys: required("token that is wanted") },
	flags: { ...nodeFlags, ...solidityFlag },
	run: async ({ args, client, view, print }) => {
		const source = { client, offline: false };
		const [sells, buys] = [await currencyNamed(source, args.sells), await currencyNamed(source, args.buys)];
		const prices = await pricesOfPair(client, { sells: sells.id, buys: buys.id }, view);
		const rows = prices.map((price) => ({
			...price,
			price: quotientText(price.buyAmount * unit(sells), price.sellAmount * unit(buys)),
		}));
		print.list(rows, ["price", "sellAmount", "buyAmount"], "no prices");
	},
});

/** One whole token in smallest units. */
function unit({ decimals }: Currency): bigint {
	return 10n ** BigInt(decimals ?? 0);
}

export const MarketSell = acting({
	summary: "Place an order on the market",
	description: "Orders that want no more than is offered are matched at once; the rest waits in the book.",
	examples: ["<%= config.bin %> market sell 1000001:12.5 --for coin:5coin --wait"],
	args: {
		amount: required("what is offered, such as 1000001:12.5 or coin:5coin"),
	},
	flags: {
		for: Flags.string({
			description: "what is wanted for all of it",
			helpValue: "<token:amount>",
			required: true,
		}),
		...trustFlag,
	},
	plan: async ({ args, flags, actor }) => {
		const { owner, client } = await actor();
		const source = { client, offline: flags.offline };
		const offered = await parseCurrencyAmount(source, args.amount);
		const wanted = await parseCurrencyAmount(source, flags.for);
		return {
			...contractOf(MarketSellAssetContract, {
				owner_address: owner,
				sell_token_id: offered.token,
				sell_token_quantity: offered.amount,
				buy_token_id: wanted.token,
				buy_token_quantity: wanted.amount,
			}),
			nodesWord: [...offered.nodesWord, ...wanted.nodesWord],
			details: [
				`  offers      ${currencyText(offered.currency, offered.amount)}`,
				`  wants       ${currencyText(wanted.currency, wanted.amount)}`,
			],
		};
	},
});
