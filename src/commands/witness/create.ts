import { Args } from "@oclif/core";
import { utf8 } from "../../protocol/bytes.js";
import { WitnessCreateContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";

export default class WitnessCreate extends ActingCommand {
	static override summary = "Apply to become a super representative";
	static override description = "The network burns a fee of thousands of coins, and there is no way back.";
	static override args = {
		url: Args.string({ description: "page about the candidate", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WitnessCreate);
		const context = await this.context(flags);
		await this.act(context, flags, {
			...contractOf(WitnessCreateContract, { owner_address: context.owner, url: utf8(args.url) }),
			confirmation: 2,
		});
	}
}
