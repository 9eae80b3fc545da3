import { Flags, type Interfaces } from "@oclif/core";
import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { Failure } from "../../wallet/failure.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { currencyNamed } from "../../wallet/token/token-amount.js";
import { ordersOfAccount, ordersOfPair, viewOrder } from "../../wallet/view/market.js";

export default class MarketOrders extends AccountQuery {
	static override summary = "List the active orders of an account, or of a pair, cheapest first";
	static override description = "Amounts are in smallest units; _ is the coin.";
	static override examples = ["<%= config.bin %> market orders --sells 1000001 --buys coin"];
	static override args = accountArgument;
	static override flags = {
		...accountQueryFlags,
		sells: Flags.string({ description: "token that is offered", helpValue: "<token>", dependsOn: ["buys"] }),
		buys: Flags.string({ description: "token that is wanted", helpValue: "<token>", dependsOn: ["sells"] }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(MarketOrders);
		if (args.account !== undefined && flags.sells !== undefined)
			throw new Failure("conflicting_flags", "name an account or a pair, not both");
		const orders = await this.orders(flags, args.account);
		this.printList(
			orders.map(viewOrder),
			["order", "sells", "sellAmount", "buys", "buyAmount", "remains", "owner"],
			"no orders",
		);
	}

	private async orders(
		flags: Interfaces.InferredFlags<typeof MarketOrders.flags>,
		account: string | undefined,
	): ReturnType<typeof ordersOfAccount> {
		if (flags.sells === undefined || flags.buys === undefined) {
			const { client, view, address } = await this.subject(flags, account);
			return ordersOfAccount(client, address, view);
		}
		const client = new NodeClient(await this.settings(flags));
		const source = { client, offline: false };
		const [sells, buys] = [await currencyNamed(source, flags.sells), await currencyNamed(source, flags.buys)];
		return ordersOfPair(client, { sells: sells.id, buys: buys.id }, this.view(flags));
	}
}
