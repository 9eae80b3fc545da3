import { minInt } from "../../protocol/int64.js";
import type { Account } from "../../protocol/messages.js";
import { WithdrawExpireUnfreezeContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/acting-command.js";
import { actingFlags } from "../../terminal/acting-flags.js";
import { localTime } from "../../terminal/output.js";
import { contractOf } from "../../wallet/contract.js";
import type { Failure } from "../../wallet/failure.js";
import { unstakings } from "../../wallet/stake-view.js";

export default class StakeWithdraw extends ActingCommand {
	static override summary = "Withdraw coins whose unstaking is over";
	static override flags = actingFlags;

	private account: Readonly<Account> | undefined;

	async run(): Promise<void> {
		const { flags } = await this.parse(StakeWithdraw);
		const context = await this.context(flags);
		this.account = context.account;
		await this.act(
			context,
			flags,
			contractOf(WithdrawExpireUnfreezeContract, { owner_address: context.owner }),
		);
	}

	/** With coins on their way back, the same call succeeds later. */
	protected override explain(failure: Failure): Failure {
		const explained = super.explain(failure);
		const dues = (this.account ? unstakings(this.account) : []).map(({ due }) => due);
		if (failure.code !== "contract_validate" || dues.length === 0) return explained;
		const due = dues.reduce((first, next) => minInt(first, next));
		return explained.with({
			retry: "later",
			details: { due },
			hint: `the next coins can be withdrawn from ${localTime(due)}`,
		});
	}
}
