import { Args, Flags } from "@oclif/core";
import { UnDelegateResourceContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/acting-command.js";
import { actingFlags } from "../../terminal/acting-flags.js";
import { resourceFlag } from "../../terminal/flags.js";
import { parsePositiveCoins } from "../../wallet/amount.js";
import { contractOf } from "../../wallet/contract.js";
import { parseResource } from "../../wallet/resource.js";
import { accountNamed } from "../../wallet/signing.js";

export default class StakeUndelegate extends ActingCommand {
	static override summary = "Take a delegated resource back";
	static override args = {
		amount: Args.string({
			description: "staked coins whose resource comes back, with the unit",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...actingFlags,
		for: resourceFlag,
		to: Flags.string({ description: "account that has it", helpValue: "<account>", required: true }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeUndelegate);
		const balance = parsePositiveCoins(args.amount);
		const resource = parseResource(flags.for);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(UnDelegateResourceContract, {
				owner_address: context.owner,
				resource,
				balance,
				receiver_address: await accountNamed(context.settings, flags.to),
			}),
		);
	}
}
