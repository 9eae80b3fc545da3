import { Args } from "@oclif/core";
import { ProposalDeleteContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

export default class ProposalDelete extends ActingCommand {
	static override summary = "Cancel a proposal of one's own";
	static override args = {
		id: Args.string({ description: "number of the proposal", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ProposalDelete);
		const proposalId = parseNatural(args.id);
		const context = await this.context(flags);
		await this.act(context, flags, {
			...contractOf(ProposalDeleteContract, { owner_address: context.owner, proposal_id: proposalId }),
			result: { proposalId },
		});
	}
}
