import { Args, Flags } from "@oclif/core";
import { DelegateResourceContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { resourceFlag } from "../../terminal/flags/flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parsePositiveCoins } from "../../wallet/values/amount.js";
import { parseBlocks } from "../../wallet/values/duration.js";
import { parseResource } from "../../wallet/values/resource.js";

export default class StakeDelegate extends ActingCommand {
	static override summary = "Delegate the resource of staked coins to another account";
	static override examples = ["<%= config.bin %> stake delegate 100coin --for energy --to alice --lock 3d"];
	static override args = {
		amount: Args.string({
			description: "staked coins whose resource is delegated, with the unit",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...actingFlags,
		for: resourceFlag,
		to: Flags.string({ description: "account that may use it", helpValue: "<account>", required: true }),
		lock: Flags.string({
			description: "time, or number of blocks, for which it can't be taken back",
			helpValue: "<duration or blocks>",
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeDelegate);
		const balance = parsePositiveCoins(args.amount);
		const resource = parseResource(flags.for);
		const lockBlocks = flags.lock === undefined ? undefined : parseBlocks(flags.lock);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(DelegateResourceContract, {
				owner_address: context.owner,
				resource,
				balance,
				receiver_address: await accountNamed(context.settings, flags.to),
				...(lockBlocks === undefined ? {} : { lock: true, lock_period: lockBlocks }),
			}),
		);
	}
}
