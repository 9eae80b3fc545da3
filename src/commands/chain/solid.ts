import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { headBlock } from "../../wallet/node/chain-query.js";

export default class ChainSolid extends QueryCommand {
	static override summary = "Print the number of the newest irreversible block";
	static override flags = nodeFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(ChainSolid);
		this.printScalar((await headBlock(await this.client(flags), "solidity")).number);
	}
}
