import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { resourceFlag } from "../../terminal/flags/flags.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { parseResource } from "../../wallet/values/resource.js";
import { delegatableMaximum } from "../../wallet/view/stake-view.js";

export default class StakeMax extends AccountQuery {
	static override summary = "Print how much of a stake could be delegated now";
	static override description =
		"Coins with their unit for people, sun with --json. The node counts what the stake's resource was used for.";
	static override args = accountArgument;
	static override flags = { ...accountQueryFlags, for: resourceFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeMax);
		const resource = parseResource(flags.for);
		const { client, view, address } = await this.subject(flags, args.account);
		const sun = await delegatableMaximum(client, address, resource, view);
		this.printScalar(this.json ? sun : formatCoin(sun));
	}
}
