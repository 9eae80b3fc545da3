import { CancelAllUnfreezeV2Contract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";

export default class StakeCancel extends ActingCommand {
	static override summary = "Cancel all unstaking: coins on their way back are staked again";
	static override description = "What is ready to be withdrawn is withdrawn.";
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(StakeCancel);
		const context = await this.context(flags);
		await this.act(context, flags, contractOf(CancelAllUnfreezeV2Contract, { owner_address: context.owner }));
	}
}
