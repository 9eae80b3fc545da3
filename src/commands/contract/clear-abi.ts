import { Args } from "@oclif/core";
import { ClearABIContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

export default class ContractClearAbi extends ActingCommand {
	static override summary = "Remove the interface that is stored with a contract, for good";
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractClearAbi);
		const context = await this.context(flags);
		await this.act(context, flags, {
			...contractOf(ClearABIContract, {
				owner_address: context.owner,
				contract_address: await accountNamed(context.settings, args.address),
			}),
			confirmation: 2,
		});
	}
}
