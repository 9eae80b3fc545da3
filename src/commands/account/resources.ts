import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { one } from "../../terminal/schema/result-shape.js";
import { resourcesShape } from "../../terminal/schema/view-shapes.js";
import { existingAccount } from "../../wallet/node/chain-query.js";
import { resourcesOf } from "../../wallet/view/account-resources.js";

export default class AccountResources extends AccountQuery {
	static override summary = "Show the bandwidth, energy and votes of an account";
	static override description = "Used amounts recover over a day; they are shown as they stand now.";
	static override examples = ["<%= config.bin %> account resources alice"];
	static override args = accountArgument;
	static override result = one(resourcesShape);
	static override flags = accountQueryFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountResources);
		const { client, view, address } = await this.subject(flags, args.account);
		await existingAccount(client, address, view);
		this.printRecord(await resourcesOf(client, address, view));
	}
}
