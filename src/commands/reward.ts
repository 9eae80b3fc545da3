/** `coin reward …`: rewards of votes and witnesses. */

import { toBase58Check } from "../protocol/address.js";
import { WithdrawBalanceContract } from "../protocol/messages.js";
import { accountArgument, accountQueryFlags } from "../terminal/base/account-query.js";
import { ActingCommand } from "../terminal/base/acting-command.js";
import { accountQuery } from "../terminal/base/command-row.js";
import { actingFlags } from "../terminal/flags/acting-flags.js";
import { refusedUntil } from "../terminal/output/due-time.js";
import { one, record } from "../terminal/schema/result-shape.js";
import type { Failure } from "../wallet/failure.js";
import { existingAccount } from "../wallet/node/chain-query.js";
import { contractOf } from "../wallet/transaction/contract.js";
import { formatCoin } from "../wallet/values/amount.js";
import { REWARD_PAUSE_MS, rewardOf } from "../wallet/view/voting.js";

export const RewardShow = accountQuery({
	summary: "Show the rewards that an account could withdraw, and from when",
	args: accountArgument,
	result: one(record({ account: "address", reward: "int64", "due?": "time" })),
	flags: accountQueryFlags,
	run: async ({ client, view, address, print }) => {
		const { latest_withdraw_time: last } = await existingAccount(client, address, view);
		const reward = await rewardOf(client, address, view);
		const record = {
			account: toBase58Check(address),
			reward,
			due: last > 0n ? last + REWARD_PAUSE_MS : undefined,
		};
		print.record(record, { ...record, reward: formatCoin(reward) });
	},
});

export class RewardWithdraw extends ActingCommand {
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
