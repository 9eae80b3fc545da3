import { Args } from "@oclif/core";
import { UnfreezeBalanceV2Contract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { stakeFlag } from "../../terminal/flags/flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { parsePositiveCoins } from "../../wallet/values/amount.js";
import { parseResource } from "../../wallet/values/resource.js";

export default class StakeUnfreeze extends ActingCommand {
	static override summary = "Begin to unstake coins";
	static override description =
		"The coins can be withdrawn after the network's delay (stake show tells when); votes that the remaining stake " +
		"doesn't cover are reduced. What was ready to be withdrawn before is withdrawn too.";
	static override examples = ["<%= config.bin %> stake unfreeze 100coin --for energy"];
	static override args = {
		amount: Args.string({ description: "how much, with its unit", required: true, ignoreStdin: true }),
	};
	static override flags = { ...actingFlags, for: stakeFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeUnfreeze);
		const amount = parsePositiveCoins(args.amount);
		const resource = parseResource(flags.for, { votes: true });
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(UnfreezeBalanceV2Contract, {
				owner_address: context.owner,
				unfreeze_balance: amount,
				resource,
			}),
		);
	}
}
