import { toHex } from "../../protocol/bytes.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { genesisId } from "../../wallet/node/chain-query.js";

export default class ChainId extends QueryCommand {
	static override summary = "Print the id of the chain's genesis block";
	static override flags = nodeFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(ChainId);
		this.printScalar(toHex(await genesisId(await this.client(flags))));
	}
}
