/** `coin block …`: blocks by number, by time, and as they arrive. */

import { Args, Flags } from "@oclif/core";
import { TransactionInfo } from "../protocol/messages.js";
import { query } from "../terminal/base/command-row.js";
import { fetchBlockNamed } from "../terminal/base/node-questions.js";
import { nodeFlags, solidityFlag } from "../terminal/flags/flags.js";
import { localTime, printJson, printLine } from "../terminal/output/output.js";
import { list, one, record } from "../terminal/schema/result-shape.js";
import { messageShape, transactionShape } from "../terminal/schema/view-shapes.js";
import { Failure } from "../wallet/failure.js";
import { messageFrom } from "../wallet/node/answer.js";
import { followBlocks } from "../wallet/node/block-follow.js";
import { type BlockReference, fetchBlockByNumber, fetchHead } from "../wallet/node/chain-query.js";
import type { NodeClient, NodeView } from "../wallet/node/node-client.js";
import { momentMs, parseMoment } from "../wallet/values/moment.js";
import { receiptText, transactionText } from "../wallet/values/parameter-text.js";
import { viewBlock } from "../wallet/view/block-view.js";
import { type View, viewOf } from "../wallet/view/message-view.js";

export const BlockFind = query({
	summary: "Print the number of the last block at or before a time",
	examples: [
		"<%= config.bin %> block find --time 2026-11-21T12:00:00Z",
		"<%= config.bin %> block find --time @1800000000000",
	],
	flags: {
		...nodeFlags,
		time: Flags.string({
			description: "date and time, or @<epoch ms>",
			helpValue: "<time>",
			required: true,
		}),
	},
	run: async ({ flags, client, print }) => {
		const time = await momentMs(parseMoment(flags.time), client);
		const timeOf = async (number: bigint): Promise<bigint> => {
			const block = await fetchBlockByNumber(client, number);
			if (!block) throw new Failure("not_found", `the node has no block ${number}`);
			return block.timestampMs;
		};
		if ((await timeOf(0n)) > time) {
			throw new Failure("not_found", "the chain began after that time");
		}
		// Timestamps never decrease along a chain, so binary search finds the last one.
		let low = 0n;
		let high = (await fetchHead(client)).number;
		while (low < high) {
			const middle = (low + high + 1n) / 2n;
			if ((await timeOf(middle)) <= time) low = middle;
			else high = middle - 1n;
		}
		print.scalar(low);
	},
});

export const BlockFollow = query({
	outputKind: "stream",
	summary: "Print blocks as they come, until interrupted",
	description:
		'One JSON line a block into a pipe. A block that a fork replaced is printed again with "removed":true; --solid shows irreversible blocks only, which are never replaced.',
	examples: ["<%= config.bin %> block follow --header", "<%= config.bin %> block follow --from 100 --solid"],
	flags: {
		...nodeFlags,
		solid: Flags.boolean({ description: "irreversible blocks only" }),
		from: Flags.string({ description: "first block: number, head, solid, earliest", helpValue: "<block>" }),
		header: Flags.boolean({ description: "leave the transactions out" }),
	},
	run: async ({ flags, client, json }) => {
		const view = flags.solid ? "solidity" : "full";
		const from =
			flags.from === undefined ? undefined : (await fetchBlockNamed(client, flags.from, view)).number;
		for await (const { block, removed } of followBlocks(client, view, from)) {
			const record = await viewBlock(block, flags.header);
			if (json) {
				printJson(removed ? { ...record, removed } : record);
				continue;
			}
			const { blockID, witness, transactionCount } = record;
			const what = `${transactionCount} transactions`;
			printLine(
				`${block.number}  ${localTime(block.timestampMs)}  ${blockID}  ${witness ?? ""}  ${removed ? "removed" : what}`,
			);
		}
	},
});

export const BlockShow = query({
	takesIds: true,
	summary: "Show a block",
	description: "The id is computed from the header, transactions are decoded from their bytes.",
	examples: ["<%= config.bin %> block show", "<%= config.bin %> block show 812 --header"],
	args: {
		block: Args.string({
			description: "number, head, solid, earliest or id",
			default: "head",
			ignoreStdin: true,
		}),
	},
	result: one(
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
	),
	flags: {
		...nodeFlags,
		...solidityFlag,
		header: Flags.boolean({ description: "leave the transactions out" }),
		receipts: Flags.boolean({ description: "with the receipts of the transactions", exclusive: ["header"] }),
	},
	run: async ({ args, flags, client, view, print }) => {
		const ofBlock = args.block === "solid" ? "solidity" : view;
		const block = await fetchBlockNamed(client, args.block, ofBlock);
		const { transactions, ...header } = await viewBlock(block, flags.header);
		const receipts = flags.receipts ? await receiptsOf(client, block, ofBlock) : undefined;
		print.record(
			{ ...header, transactions, receipts },
			{
				...header,
				transactions: transactions?.map(transactionText),
				receipts: receipts?.map(receiptText),
			},
		);
	},
});

async function receiptsOf(
	client: NodeClient,
	block: BlockReference,
	view: NodeView,
): Promise<Record<string, View>[]> {
	const answer = await client.callList("gettransactioninfobyblocknum", { num: block.number }, view);
	return answer.map((item) => viewOf(messageFrom(TransactionInfo, item)));
}
