import { Args, Flags } from "@oclif/core";
import { fromUtf8 } from "../../protocol/bytes.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { tradeQuote } from "../../terminal/chain/trade-quote.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { Failure } from "../../wallet/failure.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import {
	type Currency,
	currencyById,
	currencyText,
	parseCurrencyAmount,
} from "../../wallet/token/token-amount.js";
import { parseNatural } from "../../wallet/values/integer-text.js";
import { quotientText } from "../../wallet/values/rational-text.js";
import { type ExchangePair, exchangeById, exchangeSide, viewExchange } from "../../wallet/view/exchanges.js";

export default class ExchangeShow extends QueryCommand {
	static override summary = "Show an exchange with its price, and what a trade would bring";
	static override description =
		"price is how many of the second token one of the first is worth, in their decimals; --json has amounts in " +
		"smallest units.";
	static override args = {
		id: Args.string({ description: "number of the exchange", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...nodeFlags,
		...solidityFlag,
		quote: Flags.string({
			description: "what selling this would bring, such as 1000001:12.5 or coin:5coin",
			helpValue: "<token:amount>",
		}),
		"or-null": Flags.boolean({ description: "print null if there is none" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ExchangeShow);
		const id = parseNatural(args.id);
		const client = await this.client(flags);
		const exchange = await exchangeById(client, id, this.view(flags));
		if (!exchange) {
			if (flags["or-null"]) return this.printScalar(null);
			throw new Failure("not_found", `there is no exchange ${id}`);
		}
		const [first, second] = await Promise.all([
			currencyById(client, fromUtf8(exchange.first_token_id)),
			currencyById(client, fromUtf8(exchange.second_token_id)),
		]);
		const quote = flags.quote === undefined ? undefined : await quoted(client, exchange, flags.quote);
		const view = viewExchange(exchange);
		const record = { ...view, price: priceText(exchange, first, second) };
		this.printRecord(
			{ ...record, ...(quote ? { quote: { token: quote.token, amount: quote.amount } } : {}) },
			{
				...record,
				firstBalance: currencyText(first, view.firstBalance),
				secondBalance: currencyText(second, view.secondBalance),
				...(quote ? { quote: quote.text } : {}),
			},
		);
	}
}

/** How many of the second token one of the first is worth; undefined for a closed pair. */
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
