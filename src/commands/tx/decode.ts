import { Flags } from "@oclif/core";
import { artefactArgument, readArtefacts } from "../../terminal/artefact-stream.js";
import { CoinCommand } from "../../terminal/coin-command.js";
import { viewTransaction } from "../../wallet/transaction-view.js";

export default class TxDecode extends CoinCommand {
	static override summary = "Decode a transaction without a node";
	static override description =
		"Takes JSON or hex, checks that id, JSON and bytes agree, and recovers the signers.";
	static override args = artefactArgument;
	static override flags = {
		raw: Flags.boolean({ description: "hexadecimal input is raw data alone, not a whole transaction" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TxDecode);
		for (const { transaction } of await readArtefacts(args.artefact, flags.raw)) {
			this.printRecord(viewTransaction(transaction));
		}
	}
}
