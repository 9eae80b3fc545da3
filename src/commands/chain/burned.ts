import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { Failure } from "../../wallet/failure.js";
import { formatCoin } from "../../wallet/values/amount.js";

export default class ChainBurned extends QueryCommand {
	static override summary = "Print how many coins were burned as fees";
	static override description = "Coins with their unit for people, sun with --json.";
	static override flags = { ...nodeFlags, ...solidityFlag };

	async run(): Promise<void> {
		const { flags } = await this.parse(ChainBurned);
		const client = await this.client(flags);
		const answer = await client.call("getburncoin", {}, this.view(flags));
		// The member is spelled in the node's dialect, and it is the only one.
		const [sun] = Object.values(answer);
		if (typeof sun !== "bigint") throw new Failure("rpc_error", "the node's answer holds no amount");
		this.printScalar(this.json ? sun : formatCoin(sun));
	}
}
