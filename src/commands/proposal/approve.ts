import { Args, Flags } from "@oclif/core";
import { ProposalApproveContract } from "../../protocol/messages.js";
import { ActingCommand, type ActingContext } from "../../terminal/base/acting-command.js";
import { parameterNames } from "../../terminal/chain/parameter-names.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { parseNatural } from "../../wallet/values/integer-text.js";
import { proposalById } from "../../wallet/view/proposals.js";

export default class ProposalApprove extends ActingCommand {
	static override summary = "Approve a proposal, or take the approval back";
	static override args = {
		id: Args.string({ description: "number of the proposal", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...actingFlags,
		withdraw: Flags.boolean({ description: "take the approval back" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ProposalApprove);
		const proposalId = parseNatural(args.id);
		const context = await this.context(flags);
		await this.act(context, flags, {
			...contractOf(ProposalApproveContract, {
				owner_address: context.owner,
				proposal_id: proposalId,
				is_add_approval: !flags.withdraw,
			}),
			confirmation: 2,
			details: flags.offline ? [] : await this.parameterLines(context, proposalId),
			result: { proposalId },
		});
	}

	/** What the chain would change. */
	private async parameterLines({ client }: ActingContext, id: bigint): Promise<string[]> {
		const proposal = await proposalById(client, id);
		const nameOf = await parameterNames();
		return [...(proposal?.parameters ?? [])].map(
			([parameter, value]) => `  proposed    ${nameOf(parameter) ?? parameter} = ${value}`,
		);
	}
}
