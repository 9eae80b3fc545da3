import { Flags } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { tokenShape } from "../../terminal/schema/view-shapes.js";
import { listTokens, viewToken } from "../../wallet/token/token.js";
import { formatDecimal } from "../../wallet/values/amount.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

/** The network's longest page. */
const MAX_PAGE = "1000";

export default class TokenList extends QueryCommand {
	static override summary = "List ORC-10 tokens; with --offset or --limit a page by name";
	static override result = lines(tokenShape);
	static override flags = {
		...nodeFlags,
		...solidityFlag,
		offset: Flags.string({ description: "leave out the first", helpValue: "<n>" }),
		limit: Flags.string({ description: "maximum number of results", helpValue: "<n>" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(TokenList);
		const { offset, limit } = flags;
		const page =
			offset === undefined && limit === undefined
				? undefined
				: { offset: parseNatural(offset ?? "0"), limit: parseNatural(limit ?? MAX_PAGE) };
		const tokens = await listTokens(await this.client(flags), this.view(flags), page);
		const views = tokens.map(viewToken);
		this.printList(
			views,
			["id", "name", "abbr", "supply", "decimals", "owner"],
			"no tokens",
			views.map((view) => ({ ...view, supply: formatDecimal(view.supply, view.decimals) })),
		);
	}
}
