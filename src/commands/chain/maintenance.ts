import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { localTime } from "../../terminal/output/output.js";
import { Failure } from "../../wallet/failure.js";

export default class ChainMaintenance extends QueryCommand {
	static override summary = "Print when votes are counted next";
	static override description = "Local time for people, milliseconds since 1970 with --json.";
	static override flags = nodeFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(ChainMaintenance);
		const client = await this.client(flags);
		const { num } = await client.call("getnextmaintenancetime", {});
		if (typeof num !== "bigint") throw new Failure("rpc_error", "the node's answer holds no time");
		this.printScalar(this.json ? num : localTime(num));
	}
}
