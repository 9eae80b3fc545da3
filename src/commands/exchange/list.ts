import { Flags } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { parseNatural } from "../../wallet/values/integer-text.js";
import { exchangePage, listExchanges, viewExchange } from "../../wallet/view/exchanges.js";

/** The network's longest page. */
const MAX_PAGE = "1000";

export default class ExchangeList extends QueryCommand {
	static override summary = "List exchanges, newest first; with --offset or --limit a page by number";
	static override description = "Amounts are in smallest units.";
	static override flags = {
		...nodeFlags,
		...solidityFlag,
		offset: Flags.string({
			description: "leave out the first numbers",
			helpValue: "<n>",
			exclusive: ["solidity"],
		}),
		limit: Flags.string({
			description: "maximum number of results",
			helpValue: "<n>",
			exclusive: ["solidity"],
		}),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(ExchangeList);
		const { offset, limit } = flags;
		const page = [parseNatural(offset ?? "0"), parseNatural(limit ?? MAX_PAGE)] as const;
		const client = await this.client(flags);
		const exchanges =
			offset === undefined && limit === undefined
				? await listExchanges(client, this.view(flags))
				: await exchangePage(client, ...page);
		this.printList(
			exchanges.map(viewExchange),
			["id", "firstToken", "firstBalance", "secondToken", "secondBalance", "closed", "creator"],
			"no exchanges",
		);
	}
}
