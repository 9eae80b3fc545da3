import { Args } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { type Currency, currencyNamed } from "../../wallet/token/token-amount.js";
import { quotientText } from "../../wallet/values/rational-text.js";
import { pricesOfPair } from "../../wallet/view/market.js";

const token = (description: string) => Args.string({ description, required: true, ignoreStdin: true });

export default class MarketPrices extends QueryCommand {
	static override summary = "List the prices of a pair, cheapest first";
	static override description =
		"price is what is wanted for one of what is sold, in their decimals; the amounts are in smallest units, reduced.";
	static override args = { sells: token("token that is offered"), buys: token("token that is wanted") };
	static override flags = { ...nodeFlags, ...solidityFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(MarketPrices);
		const client = await this.client(flags);
		const source = { client, offline: false };
		const [sells, buys] = [await currencyNamed(source, args.sells), await currencyNamed(source, args.buys)];
		const prices = await pricesOfPair(client, { sells: sells.id, buys: buys.id }, this.view(flags));
		const rows = prices.map((price) => ({
			...price,
			price: quotientText(price.buyAmount * unit(sells), price.sellAmount * unit(buys)),
		}));
		this.printList(rows, ["price", "sellAmount", "buyAmount"], "no prices");
	}
}

/** One whole token in smallest units. */
function unit({ decimals }: Currency): bigint {
	return 10n ** BigInt(decimals ?? 0);
}
