import { Args } from "@oclif/core";
import { ExchangeCreateContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { parseCurrencyAmount } from "../../wallet/token/token-amount.js";
import { contractOf } from "../../wallet/transaction/contract.js";

const side = (description: string) => Args.string({ description, required: true, ignoreStdin: true });

export default class ExchangeCreate extends ActingCommand {
	static override summary = "Open an exchange between two tokens, or a token and the coin";
	static override description =
		"The first balances set the price. Only its creator can add to it or take from it.";
	static override examples = ["<%= config.bin %> exchange create 1000001:5000 coin:100coin"];
	static override args = {
		first: side("token and amount, such as 1000001:12.5"),
		second: side("the other one, such as coin:5coin"),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ExchangeCreate);
		const context = await this.context(flags);
		const source = { client: context.client, offline: flags.offline };
		const first = await parseCurrencyAmount(source, args.first);
		const second = await parseCurrencyAmount(source, args.second);
		await this.act(context, flags, {
			...contractOf(ExchangeCreateContract, {
				owner_address: context.owner,
				first_token_id: first.token,
				first_token_balance: first.amount,
				second_token_id: second.token,
				second_token_balance: second.amount,
			}),
		});
	}
}
