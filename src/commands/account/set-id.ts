import { Args } from "@oclif/core";
import { utf8 } from "../../protocol/bytes.js";
import { SetAccountIdContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";

export default class AccountSetId extends ActingCommand {
	static override summary = "Give the account an id, for good";
	static override description =
		"8 to 32 readable characters without blanks; unique on the chain, upper and lower case alike.";
	static override examples = ["<%= config.bin %> account set-id ann-and-co"];
	static override args = {
		id: Args.string({ description: "the id", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountSetId);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(SetAccountIdContract, { owner_address: context.owner, account_id: utf8(args.id) }),
		);
	}
}
