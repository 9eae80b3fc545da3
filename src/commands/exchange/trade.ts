import { Flags } from "@oclif/core";
import { fromUtf8 } from "../../protocol/bytes.js";
import { ExchangeTransactionContract } from "../../protocol/messages.js";
import {
	ExchangeCommand,
	exchangeArguments,
	exchangeFlags,
	type PairAmount,
} from "../../terminal/base/exchange-command.js";
import { tradeQuote } from "../../terminal/chain/trade-quote.js";
import { Failure } from "../../wallet/failure.js";
import { currencyText, parseAmountOf } from "../../wallet/token/token-amount.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

export default class ExchangeTrade extends ExchangeCommand {
	static override summary = "Sell a token on an exchange";
	static override description =
		"Without --min the trade happens at the present price or not at all; --min allows less. Chains of block version 33 " +
		"and later, new development chains among them, refuse trades until chain parameter 98 is 1.";
	static override examples = ["<%= config.bin %> exchange trade 1 coin:5coin --min 200"];
	static override args = exchangeArguments;
	static override flags = {
		...exchangeFlags,
		min: Flags.string({
			description: "least amount of the other token; offline in smallest units",
			helpValue: "<amount>",
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ExchangeTrade);
		const trade = await this.pairAmount(args, flags);
		const { context, exchangeId, token, amount, side, other } = trade;
		const quote = side && (await tradeQuote(context.client, side, amount));
		const expected = flags.min === undefined ? quote : leastAmount(trade, flags.min);
		if (expected === undefined) throw new Failure("usage", "--offline needs the least amount: --min <n>raw");
		if (expected <= 0n) throw new Failure("bad_value", "the trade is too small to bring anything");
		await this.act(context, flags, {
			...contractOf(ExchangeTransactionContract, {
				owner_address: context.owner,
				exchange_id: exchangeId,
				token_id: token,
				quant: amount,
				expected,
			}),
			details:
				other && quote !== undefined
					? [`  gets now    ${currencyText(other, quote)}`, `  gets least  ${currencyText(other, expected)}`]
					: [],
			result: { expected, otherToken: side && fromUtf8(side.otherToken) },
		});
	}
}

function leastAmount({ other }: PairAmount, text: string): bigint {
	return other ? parseAmountOf(other, text) : parseNatural(text.trim().replace(/(raw|sun)$/i, ""));
}
