import { toHex } from "../../protocol/bytes.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags.js";
import { IdCommand, idArgument } from "../../terminal/id-command.js";
import { lines } from "../../terminal/result-shape.js";
import { transactionShape } from "../../terminal/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { transactionFrom, viewTransaction } from "../../wallet/transaction-view.js";

export default class TxShow extends IdCommand {
	static override summary = "Show a transaction";
	static override description = "Decoded from its bytes; the id and the signers are computed here.";
	static override args = idArgument;
	static override result = lines(transactionShape);
	static override flags = { ...nodeFlags, ...solidityFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TxShow);
		const client = await this.client(flags);
		for (const id of await this.ids(args.id)) {
			const answer = await client.call("gettransactionbyid", { value: toHex(id) }, this.view(flags));
			if (Object.keys(answer).length === 0)
				throw new Failure("not_found", `there is no transaction ${toHex(id)}`);
			this.printRecord(viewTransaction(transactionFrom(answer, id)));
		}
	}
}
