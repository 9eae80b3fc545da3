import { Flags } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { witnessShape } from "../../terminal/schema/view-shapes.js";
import { rankedWitnesses, viewWitnesses } from "../../wallet/view/witnesses.js";

export default class WitnessList extends QueryCommand {
	static override summary = "List witnesses by votes";
	static override result = lines(witnessShape);
	static override flags = {
		...nodeFlags,
		...solidityFlag,
		current: Flags.boolean({ description: "only those that produce blocks in this cycle" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(WitnessList);
		const client = await this.client(flags);
		const view = this.view(flags);
		const ranked = await rankedWitnesses(client, view);
		const shown = flags.current ? ranked.filter(({ witness }) => witness.isJobs) : ranked;
		this.printList(
			await viewWitnesses(client, shown, view),
			["rank", "address", "votes", "current", "produced", "missed", "brokerage", "url"],
			"no witnesses",
		);
	}
}
