import { Args, Flags } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import { IdCommand } from "../../terminal/base/id-command.js";
import { parseTransactionId } from "../../terminal/base/query-command.js";
import { nodeFlags, progressFlag } from "../../terminal/flags/flags.js";
import { argumentOrStdin, listLines } from "../../terminal/input/stdin.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { stateShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { waitFor } from "../../wallet/node/wait.js";
import { receiptMembers } from "../../wallet/transaction/acting-result.js";
import { parseDuration } from "../../wallet/values/duration.js";

export default class TxWait extends IdCommand {
	static override summary = "Wait until a transaction is irreversible";
	static override args = {
		id: Args.string({
			description: "transaction id; - or none for a list on standard input",
			ignoreStdin: true,
		}),
	};
	static override result = lines(stateShape);
	static override flags = {
		...nodeFlags,
		...progressFlag,
		"wait-timeout": Flags.string({
			description: "how long to wait",
			helpValue: "<duration>",
			default: "90s",
		}),
		included: Flags.boolean({ description: "only until it is in a block" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TxWait);
		const timeoutMs = parseDuration(flags["wait-timeout"]);
		const input = await argumentOrStdin(args.id, "the transaction ids", true);
		if (!input) throw new Failure("usage", "no transaction id", { hint: "see --help" });
		const client = await this.client(flags);
		for (const id of listLines(input.text).map(parseTransactionId)) {
			const { state, receipt } = await withProgress("waiting for a block", this.audience(flags), () =>
				waitFor(client, id, {
					until: flags.included ? "included" : "solid",
					timeoutMs,
					onUnknown: () =>
						this.note(
							"this node knows no such transaction yet: it's in no block, and doesn't wait for one here",
						),
				}),
			);
			const { block, result } = receipt ? receiptMembers(receipt) : {};
			this.printRecord({ txID: toHex(id), state, block, result });
			if (state === "failed")
				throw new Failure("contract_revert", `the transaction failed: ${result ?? ""}`, { txID: toHex(id) });
		}
	}
}
