import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { blockFlag, keystoreFlags, nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { either, map, orNull } from "../../terminal/schema/result-shape.js";
import { accountShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { accountOf } from "../../wallet/node/chain-query.js";
import { accountNamed, activeAccount } from "../../wallet/transaction/signing.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { viewAccount } from "../../wallet/view/account-view.js";
import { viewOf } from "../../wallet/view/message-view.js";

export default class AccountShow extends QueryCommand {
	static override summary = "Show an account";
	static override args = {
		account: Args.string({ description: "address or label (default: the active wallet)", ignoreStdin: true }),
	};
	static override result = orNull(either(accountShape, map("any")));
	static override flags = {
		...nodeFlags,
		...blockFlag,
		...solidityFlag,
		...keystoreFlags,
		raw: Flags.boolean({ description: "all fields as the node stores them" }),
		"or-null": Flags.boolean({ description: "print null if the account doesn't exist" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountShow);
		const settings = await this.settings(flags);
		const address =
			args.account === undefined ? await activeAccount(settings) : await accountNamed(settings, args.account);
		const client = await this.stateClient(settings, flags.block);
		const account = await accountOf(client, address, this.view(flags));
		if (!account) {
			if (flags["or-null"]) return this.printScalar(null);
			throw new Failure("not_found", `the account ${toBase58Check(address)} does not exist on this chain`);
		}
		if (flags.raw) return this.printRecord(viewOf(account));
		const view = viewAccount(account);
		this.printRecord(view, { ...view, balance: formatCoin(view.balance) });
	}
}
