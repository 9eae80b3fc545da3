import { Args } from "@oclif/core";
import { utf8 } from "../../protocol/bytes.js";
import { AccountUpdateContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";

export default class AccountRename extends ActingCommand {
	static override summary = "Give the account a name on the chain";
	static override description = "On most networks an account can take a name once, and names are unique.";
	static override examples = ["<%= config.bin %> account rename 'Ann and Co'"];
	static override args = {
		name: Args.string({ description: "the name", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountRename);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(AccountUpdateContract, { owner_address: context.owner, account_name: utf8(args.name) }),
		);
	}
}
