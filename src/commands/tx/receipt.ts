import { toHex } from "../../protocol/bytes.js";
import { TransactionInfo } from "../../protocol/messages.js";
import { IdCommand, idArgument } from "../../terminal/base/id-command.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { messageShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { receiptOf } from "../../wallet/node/chain-query.js";
import { viewOf } from "../../wallet/view/message-view.js";

export default class TxReceipt extends IdCommand {
	static override summary = "Show what a transaction did and what it cost";
	static override args = idArgument;
	static override result = lines(messageShape(TransactionInfo));
	static override flags = { ...nodeFlags, ...solidityFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TxReceipt);
		const client = await this.client(flags);
		for (const id of await this.ids(args.id)) {
			const receipt = await receiptOf(client, id, this.view(flags));
			if (!receipt) throw new Failure("not_found", `there is no receipt of ${toHex(id)}: it is in no block`);
			this.printRecord(viewOf(receipt));
		}
	}
}
