import { Flags } from "@oclif/core";
import { UnfreezeBalanceContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { stakeFlag } from "../../terminal/flags/flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parseResource } from "../../wallet/values/resource.js";

export default class StakeUnfreezeV1 extends ActingCommand {
	static override summary = "End a stake of the first generation";
	static override description =
		"Ends all of it that is due, for one resource: the account's own, or what it gave to --receiver.";
	static override flags = {
		...actingFlags,
		for: stakeFlag,
		receiver: Flags.string({ description: "account that has the resource", helpValue: "<account>" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(StakeUnfreezeV1);
		const resource = parseResource(flags.for, { votes: true });
		const context = await this.context(flags);
		const { receiver } = flags;
		await this.act(
			context,
			flags,
			contractOf(UnfreezeBalanceContract, {
				owner_address: context.owner,
				resource,
				...(receiver === undefined
					? {}
					: { receiver_address: await accountNamed(context.settings, receiver) }),
			}),
		);
	}
}
