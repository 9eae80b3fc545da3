/** `coin reward …`: rewards of voters and witnesses. */

import { toBase58Check } from "../protocol/address.js";
import { accountArgument, accountQuery, accountQueryFlags } from "../terminal/base/command-row.js";
import { refusedUntil } from "../terminal/output/output.js";
import { one, record } from "../terminal/schema/result-shape.js";
import { acting, nothingBefore, sendsNow } from "../terminal/sending/rows.js";
import { withdrawRewardPlan } from "../wallet/actions/vote.js";
import { existingAccount, fetchHead } from "../wallet/node/chain-query.js";
import { formatCoin } from "../wallet/values/amount.js";
import { fetchReward, REWARD_PAUSE_MS } from "../wallet/view/voting.js";

export const RewardShow = accountQuery({
	summary: "Show the rewards that an account could withdraw, and from when",
	examples: ["<%= config.bin %> reward show ann"],
	args: accountArgument,
	result: one(record({ account: "address", reward: "int64", "due?": "time" })),
	flags: accountQueryFlags,
	run: async ({ client, view, address, print }) => {
		const { latest_withdraw_time: last } = await existingAccount(client, address, view);
		const reward = await fetchReward(client, address, view);
		const record = {
			account: toBase58Check(address),
			reward,
			due: last > 0n ? last + REWARD_PAUSE_MS : undefined,
		};
		print.record(record, { ...record, reward: formatCoin(reward) });
	},
});

export const RewardWithdraw = acting({
	summary: "Withdraw the rewards of votes, or of a witness",
	description:
		"The network allows it once in 24 hours. Where there is none, or it is too early, nothing is done.",
	examples: ["<%= config.bin %> reward withdraw --from ann --wait"],
	plan: async ({ actor, flags }) => {
		const context = await actor();
		const { client, owner, account } = context;
		if (sendsNow(flags)) {
			const [reward, head] = await Promise.all([fetchReward(client, owner, "full"), fetchHead(client)]);
			if (reward === 0n) return { nothing: "there is no reward to withdraw" };
			const due = account.latest_withdraw_time + REWARD_PAUSE_MS;
			const early = nothingBefore(due, head.timestampMs, "rewards can be withdrawn again");
			if (early) return early;
		}
		return {
			...withdrawRewardPlan(context),
			// The waiting period between withdrawals ends by itself.
			explain: (failure) => {
				const last = /^The last withdraw time is (\d+), less than 24 hours/.exec(failure.message)?.[1];
				if (last === undefined) return failure;
				return refusedUntil(failure, BigInt(last) + REWARD_PAUSE_MS, "rewards can be withdrawn again");
			},
		};
	},
});
