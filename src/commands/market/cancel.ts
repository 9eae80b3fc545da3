import { Args } from "@oclif/core";
import { fromHex } from "../../protocol/bytes.js";
import { MarketCancelOrderContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { parseOrderId } from "../../wallet/view/market.js";

export default class MarketCancel extends ActingCommand {
	static override takesIds = true;
	static override summary = "Cancel an order on the market";
	static override args = {
		order: Args.string({ description: "id of the order", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(MarketCancel);
		const orderId = parseOrderId(args.order);
		const context = await this.context(flags);
		await this.act(context, flags, {
			...contractOf(MarketCancelOrderContract, {
				owner_address: context.owner,
				order_id: fromHex(orderId),
			}),
			result: { orderId },
		});
	}
}
