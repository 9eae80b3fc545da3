import { Flags } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { localTime } from "../../terminal/output/output.js";
import { PRICED_THINGS, priceHistory } from "../../wallet/node/chain-parameters.js";

export default class ChainPrices extends QueryCommand {
	static override summary = "Show the prices of energy, bandwidth and memos, in sun";
	static override flags = {
		...nodeFlags,
		history: Flags.boolean({ description: "all prices with the times from which they held" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(ChainPrices);
		const client = await this.client(flags);
		const histories = await Promise.all(
			PRICED_THINGS.map(async (thing) => ({ thing, changes: await priceHistory(client, thing) })),
		);
		if (flags.history) {
			const rows = histories.flatMap(({ thing, changes }) => changes.map((change) => ({ thing, ...change })));
			const shown = rows.map((row) => ({ ...row, since: row.since > 0n ? localTime(row.since) : "genesis" }));
			this.printList(rows, ["thing", "since", "price"], "no prices", shown);
			return;
		}
		this.printRecord(
			Object.fromEntries(histories.map(({ thing, changes }) => [thing, changes.at(-1)?.price])),
		);
	}
}
