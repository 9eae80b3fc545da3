import { Args, Flags } from "@oclif/core";
import { TransactionInfo } from "../../protocol/messages.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { list, one, record } from "../../terminal/schema/result-shape.js";
import { messageShape, transactionShape } from "../../terminal/schema/view-shapes.js";
import { messageFrom } from "../../wallet/node/answer.js";
import type { BlockReference } from "../../wallet/node/chain-query.js";
import type { NodeClient, NodeView } from "../../wallet/node/node-client.js";
import { viewBlock } from "../../wallet/view/block-view.js";
import { viewOf } from "../../wallet/view/message-view.js";

export default class BlockShow extends QueryCommand {
	static override takesIds = true;
	static override summary = "Show a block";
	static override description =
		"The id is computed from the header, transactions are decoded from their bytes.";
	static override examples = ["<%= config.bin %> block show", "<%= config.bin %> block show 812 --header"];
	static override args = {
		block: Args.string({
			description: "number, head, solid, earliest or id",
			default: "head",
			ignoreStdin: true,
		}),
	};
	static override result = one(
		record({
			number: "int64",
			blockID: "hex",
			timestamp: "time",
			parentHash: "hex",
			"witness?": "address",
			"version?": "integer",
			txTrieRoot: "hex",
			transactionCount: "integer",
			"transactions?": list(transactionShape),
			"receipts?": list(messageShape(TransactionInfo)),
		}),
	);
	static override flags = {
		...nodeFlags,
		...solidityFlag,
		header: Flags.boolean({ description: "leave the transactions out" }),
		receipts: Flags.boolean({ description: "with the receipts of the transactions", exclusive: ["header"] }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(BlockShow);
		const client = await this.client(flags);
		const view = args.block === "solid" ? "solidity" : this.view(flags);
		const block = await this.blockNamed(client, args.block, view);
		this.printRecord({
			...viewBlock(block, flags.header),
			receipts: flags.receipts ? await receiptsOf(client, block, view) : undefined,
		});
	}
}

async function receiptsOf(client: NodeClient, block: BlockReference, view: NodeView): Promise<object[]> {
	const answer = await client.callList("gettransactioninfobyblocknum", { num: block.number }, view);
	return answer.map((item) => viewOf(messageFrom(TransactionInfo, item)));
}
