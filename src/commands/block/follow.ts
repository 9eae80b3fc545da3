import { Flags } from "@oclif/core";
import type { OutputKind } from "../../terminal/base/coin-command.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { localTime, printJson, printLine } from "../../terminal/output/output.js";
import { followBlocks } from "../../wallet/node/block-follow.js";
import { viewBlock } from "../../wallet/view/block-view.js";

export default class BlockFollow extends QueryCommand {
	static override outputKind: OutputKind = "stream";
	static override summary = "Print blocks as they come, until interrupted";
	static override description =
		'One JSON line a block into a pipe. A block that a fork replaced is printed again with "removed":true; --solid shows irreversible blocks only, which are never replaced.';
	static override examples = [
		"<%= config.bin %> block follow --header",
		"<%= config.bin %> block follow --from 100 --solid",
	];
	static override flags = {
		...nodeFlags,
		solid: Flags.boolean({ description: "irreversible blocks only" }),
		from: Flags.string({ description: "first block: number, head, solid, earliest", helpValue: "<block>" }),
		header: Flags.boolean({ description: "leave the transactions out" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(BlockFollow);
		const client = await this.client(flags);
		const view = flags.solid ? "solidity" : "full";
		const from =
			flags.from === undefined ? undefined : (await this.blockNamed(client, flags.from, view)).number;
		for await (const { block, removed } of followBlocks(client, view, from)) {
			const record = viewBlock(block, flags.header);
			if (this.json) {
				printJson(removed ? { ...record, removed } : record);
				continue;
			}
			const { blockID, witness, transactionCount } = record;
			const what = `${transactionCount} transactions`;
			printLine(
				`${block.number}  ${localTime(block.timestampMs)}  ${blockID}  ${witness ?? ""}  ${removed ? "removed" : what}`,
			);
		}
	}
}
