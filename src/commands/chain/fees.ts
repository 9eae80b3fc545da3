import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { chainFees } from "../../wallet/node/chain-parameters.js";
import { formatCoin } from "../../wallet/values/amount.js";

export default class ChainFees extends QueryCommand {
	static override summary = "Show what the chain charges for transactions";
	static override description = "Coins with their unit for people, sun with --json.";
	static override flags = nodeFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(ChainFees);
		const fees = await chainFees(await this.client(flags));
		const shown = Object.entries(fees).map(([name, sun]) => [name, formatCoin(sun)]);
		this.printRecord(fees, Object.fromEntries(shown) as object);
	}
}
