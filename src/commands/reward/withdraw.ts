import { WithdrawBalanceContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { refusedUntil } from "../../terminal/output/due-time.js";
import type { Failure } from "../../wallet/failure.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { REWARD_PAUSE_MS } from "../../wallet/view/voting.js";

export default class RewardWithdraw extends ActingCommand {
	static override summary = "Withdraw the rewards of votes, or of a witness";
	static override description = "The network allows it once in 24 hours.";
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(RewardWithdraw);
		const context = await this.context(flags);
		await this.act(context, flags, contractOf(WithdrawBalanceContract, { owner_address: context.owner }));
	}

	/** The pause between two withdrawals ends by itself. */
	protected override explain(failure: Failure): Failure {
		const explained = super.explain(failure);
		const last = /^The last withdraw time is (\d+), less than 24 hours/.exec(failure.message)?.[1];
		if (last === undefined) return explained;
		return refusedUntil(explained, BigInt(last) + REWARD_PAUSE_MS, "rewards can be withdrawn again");
	}
}
