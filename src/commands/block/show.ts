import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { TransactionInfo } from "../../protocol/messages.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags.js";
import { QueryCommand } from "../../terminal/query-command.js";
import { messageFrom } from "../../wallet/answer.js";
import type { BlockReference } from "../../wallet/chain-query.js";
import { isRecord } from "../../wallet/json.js";
import { viewOf } from "../../wallet/message-view.js";
import type { NodeClient, NodeView } from "../../wallet/node-client.js";
import { transactionFrom, viewTransaction } from "../../wallet/transaction-view.js";

export default class BlockShow extends QueryCommand {
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
		const raw = block.header.raw_data;
		const { transactions } = block.answer;
		const list = Array.isArray(transactions) ? transactions.filter(isRecord) : [];
		this.printRecord({
			number: block.number,
			blockID: toHex(block.id),
			timestamp: block.timestampMs,
			parentHash: toHex(raw?.parentHash ?? new Uint8Array(0)),
			witness: raw && raw.witness_address.length > 0 ? toBase58Check(raw.witness_address) : undefined,
			version: raw?.version,
			txTrieRoot: toHex(raw?.txTrieRoot ?? new Uint8Array(0)),
			transactionCount: list.length,
			transactions: flags.header ? undefined : list.map((item) => viewTransaction(transactionFrom(item))),
			receipts: flags.receipts ? await receiptsOf(client, block, view) : undefined,
		});
	}
}

async function receiptsOf(client: NodeClient, block: BlockReference, view: NodeView): Promise<object[]> {
	const answer = await client.callList("gettransactioninfobyblocknum", { num: block.number }, view);
	return answer.map((item) => viewOf(messageFrom(TransactionInfo, item)));
}
