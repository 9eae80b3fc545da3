import { QueryCommand } from "../../terminal/base/query-command.js";
import { pickParameters } from "../../terminal/chain/parameter-names.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { chainParameters } from "../../wallet/node/chain-parameters.js";

export default class ChainParams extends QueryCommand {
	static override summary = "List the parameters of the chain, all or the named ones";
	static override description =
		"A name is the wire's, the proposal's, or the number by which proposals go. Named ones are explained.";
	static override examples = ["<%= config.bin %> chain params getEnergyFee MEMO_FEE 3"];
	static override strict = false;
	static override usage = "chain params [name...]";
	static override flags = nodeFlags;

	async run(): Promise<void> {
		const { argv, flags } = await this.parse(ChainParams);
		const client = await this.client(flags);
		const rows = await pickParameters(await chainParameters(client), argv as string[]);
		const columns = ["id", "name", "value", ...(argv.length > 0 ? ["about"] : [])];
		this.printList(rows, columns, "no parameters");
	}
}
