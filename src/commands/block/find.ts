import { Flags } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { Failure } from "../../wallet/failure.js";
import { blockByNumber, headBlock } from "../../wallet/node/chain-query.js";
import { momentMs, parseMoment } from "../../wallet/values/moment.js";

export default class BlockFind extends QueryCommand {
	static override summary = "Print the number of the last block at or before a time";
	static override examples = [
		"<%= config.bin %> block find --time 2026-11-21T12:00:00Z",
		"<%= config.bin %> block find --time @1800000000000",
	];
	static override flags = {
		...nodeFlags,
		time: Flags.string({
			description: "date and time, or @<epoch ms>",
			helpValue: "<time>",
			required: true,
		}),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(BlockFind);
		const client = await this.client(flags);
		const time = await momentMs(parseMoment(flags.time), client);
		const timeOf = async (number: bigint): Promise<bigint> => {
			const block = await blockByNumber(client, number);
			if (!block) throw new Failure("not_found", `the node has no block ${number}`);
			return block.timestampMs;
		};
		if ((await timeOf(0n)) > time) {
			throw new Failure("not_found", "the chain began after that time");
		}
		// Times never go back along a chain, so halving finds the last one.
		let low = 0n;
		let high = (await headBlock(client)).number;
		while (low < high) {
			const middle = (low + high + 1n) / 2n;
			if ((await timeOf(middle)) <= time) low = middle;
			else high = middle - 1n;
		}
		this.printScalar(low);
	}
}
