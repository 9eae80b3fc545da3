import { WithdrawExpireUnfreezeContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { firstDue, refusedUntil } from "../../terminal/output/due-time.js";
import type { Failure } from "../../wallet/failure.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { unstakings } from "../../wallet/view/stake-view.js";

export default class StakeWithdraw extends ActingCommand {
	static override summary = "Withdraw coins whose unstaking is over";
	static override flags = actingFlags;

	private due: bigint | undefined;

	async run(): Promise<void> {
		const { flags } = await this.parse(StakeWithdraw);
		const context = await this.context(flags);
		this.due = firstDue(unstakings(context.account).map(({ due }) => due));
		await this.act(
			context,
			flags,
			contractOf(WithdrawExpireUnfreezeContract, { owner_address: context.owner }),
		);
	}

	/** With coins on their way back, the same call succeeds later. */
	protected override explain(failure: Failure): Failure {
		const explained = super.explain(failure);
		return failure.code === "contract_validate" && this.due !== undefined
			? refusedUntil(explained, this.due, "the next coins can be withdrawn")
			: explained;
	}
}
