import { toBase58Check } from "../../protocol/address.js";
import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { one, record } from "../../terminal/schema/result-shape.js";
import { existingAccount } from "../../wallet/node/chain-query.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { REWARD_PAUSE_MS, rewardOf } from "../../wallet/view/voting.js";

export default class RewardShow extends AccountQuery {
	static override summary = "Show the rewards that an account could withdraw, and from when";
	static override args = accountArgument;
	static override result = one(record({ account: "address", reward: "int64", "due?": "time" }));
	static override flags = accountQueryFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(RewardShow);
		const { client, view, address } = await this.subject(flags, args.account);
		const { latest_withdraw_time: last } = await existingAccount(client, address, view);
		const reward = await rewardOf(client, address, view);
		const record = {
			account: toBase58Check(address),
			reward,
			due: last > 0n ? last + REWARD_PAUSE_MS : undefined,
		};
		this.printRecord(record, { ...record, reward: formatCoin(reward) });
	}
}
