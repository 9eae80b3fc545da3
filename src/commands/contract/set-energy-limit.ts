import { Args } from "@oclif/core";
import { UpdateEnergyLimitContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parseCount } from "../../wallet/values/integer-text.js";

export default class ContractSetEnergyLimit extends ActingCommand {
	static override summary = "Set how much energy the owner of a contract pays for one call at most";
	static override examples = ["<%= config.bin %> contract set-energy-limit store 1000000"];
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
		limit: Args.string({ description: "energy, more than 0", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractSetEnergyLimit);
		const limit = parseCount(args.limit);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(UpdateEnergyLimitContract, {
				owner_address: context.owner,
				contract_address: await accountNamed(context.settings, args.address),
				origin_energy_limit: limit,
			}),
		);
	}
}
