import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { localTime } from "../../terminal/output/output.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { delegationShape } from "../../terminal/schema/view-shapes.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { delegationsOf } from "../../wallet/view/delegations.js";

export default class StakeList extends AccountQuery {
	static override summary = "List the delegations of an account, given and received";
	static override args = accountArgument;
	static override result = lines(delegationShape);
	static override flags = accountQueryFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeList);
		const { client, view, address } = await this.subject(flags, args.account);
		const delegations = [
			...(await delegationsOf(client, address, view, "given")),
			...(await delegationsOf(client, address, view, "received")),
		];
		this.printList(
			delegations,
			["from", "to", "resource", "amount", "lockedUntil"],
			"no delegations",
			delegations.map((row) => ({
				...row,
				amount: formatCoin(row.amount),
				lockedUntil: row.lockedUntil === undefined ? "" : localTime(row.lockedUntil),
			})),
		);
	}
}
