import { fromUtf8 } from "../../protocol/bytes.js";
import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { lines, record } from "../../terminal/schema/result-shape.js";
import { accountOf } from "../../wallet/node/chain-query.js";
import { tokenById } from "../../wallet/token/token.js";
import { formatDecimal } from "../../wallet/values/amount.js";

export default class AccountTokens extends AccountQuery {
	static override summary = "List the ORC-10 tokens of an account";
	static override description =
		"Amounts are in the token's own decimals for people, in smallest units with --json.";
	static override examples = ["<%= config.bin %> account tokens alice"];
	static override args = accountArgument;
	static override result = lines(
		record({ token: "text", name: "text", amount: "int64", decimals: "integer" }),
	);
	static override flags = accountQueryFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountTokens);
		const { client, view, address } = await this.subject(flags, args.account);
		const held = [...((await accountOf(client, address, view))?.assetV2 ?? [])].filter(
			([, amount]) => amount > 0n,
		);
		const rows = [];
		for (const [token, amount] of held) {
			const { name, precision } = await tokenById(client, token);
			rows.push({ token, name: fromUtf8(name), amount, decimals: precision });
		}
		this.printList(
			rows,
			["token", "name", "amount"],
			"no tokens",
			rows.map((row) => ({ ...row, amount: formatDecimal(row.amount, row.decimals) })),
		);
	}
}
