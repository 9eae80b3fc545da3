import { toHex } from "../../protocol/bytes.js";
import { IdCommand, idArgument } from "../../terminal/base/id-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { stateShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { knows, statusOf } from "../../wallet/node/wait.js";
import { receiptMembers } from "../../wallet/transaction/acting-result.js";

export default class TxStatus extends IdCommand {
	static override summary = "Show how far a transaction is";
	static override args = idArgument;
	static override result = lines(stateShape);
	static override flags = nodeFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TxStatus);
		const client = await this.client(flags);
		for (const id of await this.ids(args.id)) {
			const { state, receipt } = await statusOf(client, id);
			if (!receipt && !(await knows(client, id)))
				throw new Failure("not_found", `the node knows no transaction ${toHex(id)}`);
			const { block, result } = receipt ? receiptMembers(receipt) : {};
			this.printRecord({ txID: toHex(id), state, block, result });
		}
	}
}
