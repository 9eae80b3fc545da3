import { nodeFlags } from "../../terminal/flags.js";
import { QueryCommand } from "../../terminal/query-command.js";
import { headBlock } from "../../wallet/chain-query.js";

export default class ChainHead extends QueryCommand {
	static override summary = "Print the number of the newest block";
	static override flags = nodeFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(ChainHead);
		this.printScalar((await headBlock(await this.client(flags))).number);
	}
}
