import { Flags } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { printJson } from "../../terminal/output/output.js";
import { either, one, record } from "../../terminal/schema/result-shape.js";
import { headBlock } from "../../wallet/node/chain-query.js";
import { currentReference, referenceRecord } from "../../wallet/transaction/reference.js";
import { parseDuration } from "../../wallet/values/duration.js";

export default class ChainHead extends QueryCommand {
	static override summary = "Print the number of the newest block";
	static override description =
		"With --ref one line of JSON with what a machine without network needs to build a transaction: the newest " +
		"irreversible block and an expiry. Acting commands take it with --ref, and need no node then.";
	static override examples = [
		"<%= config.bin %> chain head",
		"<%= config.bin %> chain head --ref --expires 6h > ref.json",
		"<%= config.bin %> chain head --ref | <%= config.bin %> wallet send alice 25coin --ref - --sign > signed.json",
	];
	static override result = one(
		either(
			"int64",
			record({
				number: "int64",
				blockID: "hex",
				refBlockBytes: "hex",
				refBlockHash: "hex",
				expiration: "time",
				"chain?": "hex",
			}),
		),
	);
	static override flags = {
		...nodeFlags,
		ref: Flags.boolean({ description: "what a transaction refers to, for building without network" }),
		expires: Flags.string({
			description: "with --ref: life of the transaction from the head block (12h)",
			helpValue: "<duration>",
			dependsOn: ["ref"],
		}),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(ChainHead);
		const client = await this.client(flags);
		if (!flags.ref) return this.printScalar((await headBlock(client)).number);
		printJson(referenceRecord(await currentReference(client, parseDuration(flags.expires ?? "12h"))));
	}
}
