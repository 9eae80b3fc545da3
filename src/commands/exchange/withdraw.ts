import { ExchangeWithdrawContract } from "../../protocol/messages.js";
import { ExchangeCommand, exchangeArguments, exchangeFlags } from "../../terminal/base/exchange-command.js";
import { currencyText } from "../../wallet/token/token-amount.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { otherAmount } from "../../wallet/view/exchanges.js";

export default class ExchangeWithdraw extends ExchangeCommand {
	static override summary = "Take from both sides of an exchange of one's own";
	static override description = "The amount of the other token follows from the pair's balances.";
	static override args = exchangeArguments;
	static override flags = exchangeFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ExchangeWithdraw);
		const { context, exchangeId, token, amount, side, other } = await this.pairAmount(args, flags);
		await this.act(context, flags, {
			...contractOf(ExchangeWithdrawContract, {
				owner_address: context.owner,
				exchange_id: exchangeId,
				token_id: token,
				quant: amount,
			}),
			details: side && other ? [`  also gets   ${currencyText(other, otherAmount(side, amount))}`] : [],
		});
	}
}
