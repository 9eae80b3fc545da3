import { Args } from "@oclif/core";
import { FreezeBalanceV2Contract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { stakeFlag } from "../../terminal/flags/flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { parsePositiveCoins } from "../../wallet/values/amount.js";
import { parseResource } from "../../wallet/values/resource.js";

export default class StakeFreeze extends ActingCommand {
	static override summary = "Stake coins for bandwidth or energy";
	static override examples = ["<%= config.bin %> stake freeze 500coin --for energy --wait"];
	static override args = {
		amount: Args.string({ description: "how much, with its unit", required: true, ignoreStdin: true }),
	};
	static override flags = { ...actingFlags, for: stakeFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeFreeze);
		const amount = parsePositiveCoins(args.amount);
		const resource = parseResource(flags.for, { votes: true });
		const context = await this.context(flags);
		await this.act(context, flags, {
			...contractOf(FreezeBalanceV2Contract, {
				owner_address: context.owner,
				frozen_balance: amount,
				resource,
			}),
		});
	}
}
