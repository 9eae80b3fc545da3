import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { one } from "../../terminal/schema/result-shape.js";
import { stakeShape } from "../../terminal/schema/view-shapes.js";
import { existingAccount } from "../../wallet/node/chain-query.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { type StakeView, stakeView } from "../../wallet/view/stake-view.js";

export default class StakeShow extends AccountQuery {
	static override summary = "Show what an account has staked, delegated and unstaked";
	static override args = accountArgument;
	static override result = one(stakeShape);
	static override flags = accountQueryFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeShow);
		const { client, view, address } = await this.subject(flags, args.account);
		const stakes = await stakeView(client, await existingAccount(client, address, view), view);
		this.printRecord(stakes, inCoins(stakes));
	}
}

/** The same with units. */
function inCoins(stakes: StakeView): object {
	const { staked, delegated, received, unstaking, withdrawable, delegatable, version1 } = stakes;
	const amounts = (record: Readonly<Record<string, bigint>>): object =>
		Object.fromEntries(Object.entries(record).map(([name, sun]) => [name, formatCoin(sun)]));
	const rows = (list: StakeView["unstaking"]): object[] =>
		list.map((row) => ({ ...row, amount: formatCoin(row.amount) }));
	return {
		...stakes,
		staked: amounts(staked),
		delegated: amounts(delegated),
		received: amounts(received),
		unstaking: unstaking.length > 0 ? rows(unstaking) : "none",
		withdrawable: formatCoin(withdrawable),
		delegatable: amounts(delegatable),
		version1: version1 && rows(version1),
	};
}
