/** `coin exchange …`: the built-in two-token exchanges. */

import { Flags } from "@oclif/core";
import { fromUtf8 } from "../protocol/bytes.js";
import { OverflowError } from "../protocol/int64.js";
import {
	ExchangeCreateContract,
	ExchangeInjectContract,
	ExchangeTransactionContract,
	ExchangeWithdrawContract,
} from "../protocol/messages.js";
import { query } from "../terminal/base/command-row.js";
import { trustFlag } from "../terminal/flags/acting-flags.js";
import { nodeFlags, required, solidityFlag } from "../terminal/flags/flags.js";
import { acting } from "../terminal/sending/rows.js";
import type { Actor } from "../wallet/actions/plan.js";
import { Failure } from "../wallet/failure.js";
import { fetchChainParameters } from "../wallet/node/chain-parameters.js";
import type { NodeClient } from "../wallet/node/node-client.js";
import {
	type Currency,
	type CurrencyAmount,
	currencyById,
	currencyText,
	nodesDecimals,
	parseAmountOf,
	parseCurrencyAmount,
} from "../wallet/token/token-amount.js";
import { contractOf } from "../wallet/transaction/contract.js";
import { parseNatural, quotientText } from "../wallet/values/integer-text.js";
import {
	type ExchangePair,
	type ExchangeSide,
	exchangeById,
	exchangePage,
	exchangeSide,
	existingExchange,
	listExchanges,
	otherAmount,
	viewExchange,
} from "../wallet/view/exchanges.js";

export const ExchangeCreate = acting({
	summary: "Open an exchange between two tokens, or a token and the coin",
	description: "The first balances set the price. Only its creator can add to it or take from it.",
	examples: ["<%= config.bin %> exchange create 1000001:5000 coin:100coin"],
	args: {
		first: required("token and amount, such as 1000001:12.5"),
		second: required("the other one, such as coin:5coin"),
	},
	flags: trustFlag,
	plan: async ({ args, flags, actor }) => {
		const { owner, client } = await actor();
		const source = { client, offline: flags.offline };
		const first = await parseCurrencyAmount(source, args.first);
		const second = await parseCurrencyAmount(source, args.second);
		return {
			...contractOf(ExchangeCreateContract, {
				owner_address: owner,
				first_token_id: first.token,
				first_token_balance: first.amount,
				second_token_id: second.token,
				second_token_balance: second.amount,
			}),
			nodesWord: [...first.nodesWord, ...second.nodesWord],
		};
	},
});

const exchangeArguments = {
	id: required("number of the exchange"),
	amount: required("token and amount, such as 1000001:12.5 or coin:5coin"),
};

/** One side of a pair; the other side is known only if a node was asked. */
interface PairAmount extends CurrencyAmount, Pick<Actor, "owner" | "client"> {
	readonly exchangeId: bigint;
	readonly side?: ExchangeSide;
	readonly other?: Currency;
}

/** Parses the arguments, and fetches the pair. @throws {Failure} `not_found`, `bad_value` */
async function pairAmount(
	args: { readonly id: string; readonly amount: string },
	{ offline }: { readonly offline: boolean },
	actor: () => Promise<Actor>,
): Promise<PairAmount> {
	const exchangeId = parseNatural(args.id);
	const { owner, client } = await actor();
	const amount = await parseCurrencyAmount({ client, offline }, args.amount);
	if (offline) return { ...amount, owner, client, exchangeId };
	const side = exchangeSide(await existingExchange(client, exchangeId), amount.token);
	const other = await currencyById(client, fromUtf8(side.otherToken));
	return { ...amount, owner, client, exchangeId, side, other };
}

/** A command that moves both tokens of an own exchange. @param effect what happens to the other token */
function bothSides(
	type: typeof ExchangeInjectContract | typeof ExchangeWithdrawContract,
	summary: string,
	effect: string,
	example: string,
) {
	return acting({
		summary,
		examples: [`<%= config.bin %> ${example}`],
		description: "The amount of the other token follows from the pair's balances.",
		args: exchangeArguments,
		flags: trustFlag,
		plan: async ({ args, flags, actor }) => {
			const { owner, exchangeId, token, amount, side, other, nodesWord } = await pairAmount(
				args,
				flags,
				actor,
			);
			return {
				nodesWord,
				...contractOf(type, {
					owner_address: owner,
					exchange_id: exchangeId,
					token_id: token,
					quant: amount,
				}),
				details: side && other ? [`  ${effect}   ${currencyText(other, otherAmount(side, amount))}`] : [],
			};
		},
	});
}

export const ExchangeInject = bothSides(
	ExchangeInjectContract,
	"Add to both sides of an exchange of one's own",
	"also adds",
	"exchange inject 1 coin:5coin --from ann --trust-node",
);

/** The network's maximum page size. */
const MAX_PAGE = "1000";

export const ExchangeList = query({
	summary: "List exchanges, newest first; with --offset or --limit a page by number",
	description: "Amounts are in smallest units.",
	examples: ["<%= config.bin %> exchange list --limit 10"],
	flags: {
		...nodeFlags,
		...solidityFlag,
		offset: Flags.string({
			description: "leave out the first numbers",
			helpValue: "<n>",
			exclusive: ["solidity"],
		}),
		limit: Flags.string({
			description: "maximum number of results",
			helpValue: "<n>",
			exclusive: ["solidity"],
		}),
	},
	run: async ({ flags, client, view, print }) => {
		const { offset, limit } = flags;
		const page = [parseNatural(offset ?? "0"), parseNatural(limit ?? MAX_PAGE)] as const;
		const exchanges =
			offset === undefined && limit === undefined
				? await listExchanges(client, view)
				: await exchangePage(client, ...page);
		print.list(
			exchanges.map(viewExchange),
			["id", "firstToken", "firstBalance", "secondToken", "secondBalance", "closed", "creator"],
			"no exchanges",
		);
	},
});

export const ExchangeShow = query({
	summary: "Show an exchange with its price, and what a trade would bring",
	description:
		"price is how many of the second token one of the first is worth, in their decimals; --json has amounts in " +
		"smallest units.",
	examples: ["<%= config.bin %> exchange show 1"],
	args: {
		id: required("number of the exchange"),
	},
	flags: {
		...nodeFlags,
		...solidityFlag,
		quote: Flags.string({
			description: "what selling this would bring, such as 1000001:12.5 or coin:5coin",
			helpValue: "<token:amount>",
		}),
		"or-null": Flags.boolean({ description: "print null if there is none" }),
	},
	run: async ({ args, flags, client, view, print }) => {
		const id = parseNatural(args.id);
		const exchange = await exchangeById(client, id, view);
		if (!exchange) {
			if (flags["or-null"]) return print.scalar(null);
			throw new Failure("not_found", `there is no exchange ${id}`);
		}
		const [first, second] = await Promise.all([
			currencyById(client, fromUtf8(exchange.first_token_id)),
			currencyById(client, fromUtf8(exchange.second_token_id)),
		]);
		const quote = flags.quote === undefined ? undefined : await quoted(client, exchange, flags.quote);
		const shown = viewExchange(exchange);
		const record = { ...shown, price: priceText(exchange, first, second) };
		print.record(
			{ ...record, ...(quote ? { quote: { token: quote.token, amount: quote.amount } } : {}) },
			{
				...record,
				firstBalance: currencyText(first, shown.firstBalance),
				secondBalance: currencyText(second, shown.secondBalance),
				...(quote ? { quote: quote.text } : {}),
			},
		);
	},
});

/** Price of the first token in units of the second; undefined for a closed pair. */
function priceText(exchange: ExchangePair, first: Currency, second: Currency): string | undefined {
	const { first_token_balance: sold, second_token_balance: bought } = exchange;
	if (sold <= 0n || bought <= 0n) return undefined;
	const [up, down] = [10n ** BigInt(first.decimals ?? 0), 10n ** BigInt(second.decimals ?? 0)];
	return quotientText(bought * up, sold * down);
}

async function quoted(
	client: NodeClient,
	exchange: ExchangePair,
	text: string,
): Promise<{ readonly token: string; readonly amount: bigint; readonly text: string }> {
	const { token, amount } = await parseCurrencyAmount({ client, offline: false }, text);
	const side = exchangeSide(exchange, token);
	const other = await currencyById(client, fromUtf8(side.otherToken));
	const brings = await tradeQuote(client, side, amount);
	return { token: other.id, amount: brings, text: currencyText(other, brings) };
}

export const ExchangeTrade = acting({
	summary: "Sell a token on an exchange",
	description:
		"Without --min the trade happens at the present price or not at all; --min allows less. Chains of block version 33 " +
		"and later, new development chains among them, refuse trades until chain parameter 98 is 1.",
	examples: ["<%= config.bin %> exchange trade 1 coin:5coin --min 200"],
	args: exchangeArguments,
	flags: {
		min: Flags.string({
			description: "least amount of the other token; offline in smallest units",
			helpValue: "<amount>",
		}),
		...trustFlag,
	},
	plan: async ({ args, flags, actor }) => {
		const trade = await pairAmount(args, flags, actor);
		const { owner, client, exchangeId, token, amount, side, other } = trade;
		const least = other && flags.min !== undefined ? nodesDecimals(other, flags.min) : [];
		const quote = side && (await tradeQuote(client, side, amount));
		const expected = flags.min === undefined ? quote : leastAmount(trade, flags.min);
		if (expected === undefined) throw new Failure("usage", "--offline needs the least amount: --min <n>raw");
		if (expected <= 0n) throw new Failure("bad_value", "the trade is too small to bring anything");
		return {
			...contractOf(ExchangeTransactionContract, {
				owner_address: owner,
				exchange_id: exchangeId,
				token_id: token,
				quant: amount,
				expected,
			}),
			nodesWord: [...trade.nodesWord, ...least],
			details:
				other && quote !== undefined
					? [`  gets now    ${currencyText(other, quote)}`, `  gets least  ${currencyText(other, expected)}`]
					: [],
			result: { expected, otherToken: side && fromUtf8(side.otherToken) },
		};
	},
});

function leastAmount({ other }: PairAmount, text: string): bigint {
	return other ? parseAmountOf(other, text) : parseNatural(text.trim().replace(/(raw|sun)$/i, ""));
}

export const ExchangeWithdraw = bothSides(
	ExchangeWithdrawContract,
	"Take from both sides of an exchange of one's own",
	"also gets",
	"exchange withdraw 1 coin:1coin --from ann --trust-node",
);

/**
 * Quotes a trade by the node's own curve (protocol/exchange §7); parameter 98 selects the exact one.
 * @param side the pair, seen from the token sold
 * @param units smallest units sold
 * @returns smallest units of the other token; 0 if the trade is too small
 */
export async function tradeQuote(client: NodeClient, side: ExchangeSide, units: bigint): Promise<bigint> {
	const parameters = await fetchChainParameters(client);
	const { exactTradeOutput, tradeOutput } = await import("../node/exchange/curve.js");
	if (parameters.get("getAllowHardenExchangeCalculation") === 1n) {
		try {
			return exactTradeOutput(side.balance, side.otherBalance, units);
		} catch (error) {
			if (!(error instanceof OverflowError)) throw error;
			throw new Failure("bad_value", "the pair can't take as much: its balance would leave 64 bits");
		}
	}
	const strict = parameters.get("getAllowStrictMath") === 1n;
	const pow = await (strict
		? import("../node/exchange/strict-pow.js").then(({ strictPow }) => strictPow)
		: import("../node/exchange/historical-pow.js").then(({ historicalPow }) => historicalPow));
	return tradeOutput(side.balance, side.otherBalance, units, pow);
}
