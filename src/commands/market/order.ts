import { Args, Flags } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { Failure } from "../../wallet/failure.js";
import { orderById, parseOrderId, viewOrder } from "../../wallet/view/market.js";

export default class MarketOrder extends QueryCommand {
	static override takesIds = true;
	static override summary = "Show an order of the market";
	static override description = "Amounts are in smallest units; _ is the coin.";
	static override args = {
		order: Args.string({ description: "id of the order", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...nodeFlags,
		...solidityFlag,
		"or-null": Flags.boolean({ description: "print null if there is none" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(MarketOrder);
		const id = parseOrderId(args.order);
		const order = await orderById(await this.client(flags), id, this.view(flags));
		if (order) return this.printRecord(viewOrder(order));
		if (flags["or-null"]) return this.printScalar(null);
		throw new Failure("not_found", `there is no order ${id}`);
	}
}
