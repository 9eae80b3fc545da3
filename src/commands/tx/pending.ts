import { Args, Flags } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import { parseTransactionId, QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { either, lines, record } from "../../terminal/schema/result-shape.js";
import { transactionShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { member } from "../../wallet/json.js";
import { transactionFrom, viewTransaction } from "../../wallet/transaction/transaction-view.js";

export default class TxPending extends QueryCommand {
	static override takesIds = true;
	static override summary = "List the transactions that wait for a block, or show one of them";
	static override examples = ["<%= config.bin %> tx pending", "<%= config.bin %> tx pending --count"];
	static override args = {
		id: Args.string({ description: "transaction id", ignoreStdin: true }),
	};
	static override result = lines(either(record({ txID: "hex" }), transactionShape, "integer"));
	static override flags = {
		...nodeFlags,
		count: Flags.boolean({ description: "print only how many there are" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TxPending);
		const client = await this.client(flags);
		if (args.id !== undefined) {
			const id = parseTransactionId(args.id);
			const answer = await client.call("gettransactionfrompending", { value: toHex(id) });
			if (Object.keys(answer).length === 0)
				throw new Failure("not_found", `the transaction ${toHex(id)} doesn't wait for a block`);
			return this.printRecord(viewTransaction(transactionFrom(answer, id)));
		}
		if (flags.count) {
			const size = member(await client.call("getpendingsize", {}), "pendingSize");
			if (typeof size !== "bigint")
				throw new Failure("rpc_error", "the node's answer holds no size of its pool");
			return this.printScalar(Number(size));
		}
		const { txId } = await client.call("gettransactionlistfrompending", {});
		const ids = Array.isArray(txId) ? txId : [];
		this.printList(
			ids.map((txID) => ({ txID })),
			["txID"],
			"no transactions wait",
		);
	}
}
