import { Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { localTime } from "../../terminal/output/output.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { delegationShape } from "../../terminal/schema/view-shapes.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { delegationsOf } from "../../wallet/view/delegations.js";

export default class AccountDelegated extends AccountQuery {
	static override summary = "List the stakes that an account has delegated, or got from others";
	static override examples = [
		"<%= config.bin %> account delegated ann --to bob",
		"<%= config.bin %> account delegated bob --from-others",
	];
	static override args = accountArgument;
	static override result = lines(delegationShape);
	static override flags = {
		...accountQueryFlags,
		to: Flags.string({
			description: "only to this account",
			helpValue: "<account>",
			exclusive: ["from-others"],
		}),
		"from-others": Flags.boolean({ description: "what others have delegated to the account" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountDelegated);
		const { settings, client, view, address } = await this.subject(flags, args.account);
		const receiver =
			flags.to === undefined ? undefined : toBase58Check(await accountNamed(settings, flags.to));
		const found = await delegationsOf(client, address, view, flags["from-others"] ? "received" : "given");
		const rows = found.filter(({ to }) => receiver === undefined || to === receiver);
		this.printList(
			rows,
			["from", "to", "resource", "amount", "lockedUntil"],
			"no delegations",
			rows.map((row) => ({
				...row,
				amount: formatCoin(row.amount),
				lockedUntil: row.lockedUntil === undefined ? "" : localTime(row.lockedUntil),
			})),
		);
	}
}
