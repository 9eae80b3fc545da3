import { Args } from "@oclif/core";
import { UpdateSettingContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parsePercent } from "../../wallet/values/integer-text.js";

export default class ContractSetPercent extends ActingCommand {
	static override summary = "Set which percentage of a contract's energy its callers pay";
	static override examples = ["<%= config.bin %> contract set-percent store 50"];
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
		percent: Args.string({ description: "0 to 100", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractSetPercent);
		const percent = BigInt(parsePercent(args.percent));
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(UpdateSettingContract, {
				owner_address: context.owner,
				contract_address: await accountNamed(context.settings, args.address),
				consume_user_resource_percent: percent,
			}),
		);
	}
}
