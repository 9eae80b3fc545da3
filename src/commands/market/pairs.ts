import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { marketPairs } from "../../wallet/view/market.js";

export default class MarketPairs extends QueryCommand {
	static override summary = "List the pairs of tokens that have orders";
	static override description = "Tokens go by their ids; _ is the coin.";
	static override flags = { ...nodeFlags, ...solidityFlag };

	async run(): Promise<void> {
		const { flags } = await this.parse(MarketPairs);
		const pairs = await marketPairs(await this.client(flags), this.view(flags));
		this.printList(pairs, ["sells", "buys"], "no pairs");
	}
}
