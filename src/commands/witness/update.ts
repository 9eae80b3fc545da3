import { Args } from "@oclif/core";
import { utf8 } from "../../protocol/bytes.js";
import { WitnessUpdateContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";

export default class WitnessUpdate extends ActingCommand {
	static override summary = "Change the page of a witness";
	static override args = {
		url: Args.string({ description: "page about the witness", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WitnessUpdate);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(WitnessUpdateContract, { owner_address: context.owner, update_url: utf8(args.url) }),
		);
	}
}
