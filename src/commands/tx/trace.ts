import { Args } from "@oclif/core";
import { parseTransactionId, QueryCommand } from "../../terminal/base/query-command.js";
import { interfacesFlag, interfacesOf, traceTransactionCalls } from "../../terminal/contract/call-trace.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { list, one, record } from "../../terminal/schema/result-shape.js";
import { Failure } from "../../wallet/failure.js";
import { callJsonRpc } from "../../wallet/node/json-rpc.js";
import { callLines } from "../../wallet/view/call-view.js";

export default class TxTrace extends QueryCommand {
	static override summary =
		"Show the calls of a transaction as a tree: functions, values, energy, results, events";
	static override description =
		"Only a node that executes transactions of its newest blocks again can tell: that of a development chain. " +
		"Names come from the interfaces on the chain, from --artifact, and from the list of common signatures.";
	static override examples = [
		"<%= config.bin %> tx trace 4f0c…",
		"<%= config.bin %> tx trace 4f0c… --artifact build/Store.json --json",
	];
	static override args = {
		id: Args.string({ description: "transaction id", required: true, ignoreStdin: true }),
	};
	static override result = one(
		record({
			kind: "text",
			from: "address",
			to: "address",
			"code?": "address",
			"value?": "int64",
			"tokenId?": "int64",
			"tokenValue?": "int64",
			"function?": "text",
			"arguments?": "any",
			"input?": "hex",
			"size?": "integer",
			energy: "int64",
			result: "text",
			"returned?": "any",
			"reason?": "text",
			"inner?": list("any"),
		}),
	);
	static override flags = { ...nodeFlags, ...interfacesFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TxTrace);
		const client = await this.client(flags);
		const id = parseTransactionId(args.id);
		const given = await interfacesOf(flags.artifact);
		const { tree, truncated } = await traceTransactionCalls(
			client,
			id,
			async (method, params) => {
				try {
					return await callJsonRpc(client, method, params);
				} catch (error) {
					if (!(error instanceof Failure) || error.code !== "not_served") throw error;
					throw new Failure("not_served", "this node doesn't trace transactions", {
						hint: "that of a development chain does",
					});
				}
			},
			given,
		);
		if (truncated)
			this.warning("the node listed only the first 200,000 operations: the end of the tree is missing");
		this.printRecord(tree, callLines(tree));
	}
}
