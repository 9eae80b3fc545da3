import { Args } from "@oclif/core";
import { UpdateBrokerageContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { parsePercent } from "../../wallet/values/integer-text.js";

export default class WitnessSetBrokerage extends ActingCommand {
	static override summary = "Set the share of its rewards that a witness keeps";
	static override description = "Takes effect with the next maintenance; voters get the rest.";
	static override args = {
		percent: Args.string({ description: "0 to 100", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WitnessSetBrokerage);
		const brokerage = parsePercent(args.percent);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(UpdateBrokerageContract, { owner_address: context.owner, brokerage }),
		);
	}
}
