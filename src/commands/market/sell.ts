import { Args, Flags } from "@oclif/core";
import { MarketSellAssetContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { currencyText, parseCurrencyAmount } from "../../wallet/token/token-amount.js";
import { contractOf } from "../../wallet/transaction/contract.js";

export default class MarketSell extends ActingCommand {
	static override summary = "Place an order on the market";
	static override description =
		"Orders that want no more than is offered are matched at once; the rest waits in the book.";
	static override examples = ["<%= config.bin %> market sell 1000001:12.5 --for coin:5coin --wait"];
	static override args = {
		amount: Args.string({
			description: "what is offered, such as 1000001:12.5 or coin:5coin",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...actingFlags,
		for: Flags.string({
			description: "what is wanted for all of it",
			helpValue: "<token:amount>",
			required: true,
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(MarketSell);
		const context = await this.context(flags);
		const source = { client: context.client, offline: flags.offline };
		const offered = await parseCurrencyAmount(source, args.amount);
		const wanted = await parseCurrencyAmount(source, flags.for);
		await this.act(context, flags, {
			...contractOf(MarketSellAssetContract, {
				owner_address: context.owner,
				sell_token_id: offered.token,
				sell_token_quantity: offered.amount,
				buy_token_id: wanted.token,
				buy_token_quantity: wanted.amount,
			}),
			details: [
				`  offers      ${currencyText(offered.currency, offered.amount)}`,
				`  wants       ${currencyText(wanted.currency, wanted.amount)}`,
			],
		});
	}
}
