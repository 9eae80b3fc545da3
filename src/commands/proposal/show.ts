import { Args, Flags } from "@oclif/core";
import { ProposalState } from "../../protocol/messages.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { parameterNames, parameterNotes } from "../../terminal/chain/parameter-names.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { orNull } from "../../terminal/schema/result-shape.js";
import { proposalShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { parseNatural } from "../../wallet/values/integer-text.js";
import { approvalsNeeded, proposalById, viewProposal } from "../../wallet/view/proposals.js";
import { activeWitnessCount } from "../../wallet/view/witnesses.js";

export default class ProposalShow extends QueryCommand {
	static override summary = "Show a proposal";
	static override args = {
		id: Args.string({ description: "number of the proposal", required: true, ignoreStdin: true }),
	};
	static override result = orNull(proposalShape);
	static override flags = {
		...nodeFlags,
		"or-null": Flags.boolean({ description: "print null if there is none" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ProposalShow);
		const id = parseNatural(args.id);
		const client = await this.client(flags);
		const proposal = await proposalById(client, id);
		if (proposal) {
			const notes = await parameterNotes();
			const view = viewProposal(proposal, await parameterNames());
			const parameters = view.parameters.map((one) => ({ ...one, about: one.name && notes[one.name] }));
			const shown = { ...view, parameters };
			if (proposal.state !== ProposalState.PENDING) return this.printRecord(shown);
			const active = await activeWitnessCount(client);
			const needed = approvalsNeeded(active);
			const outcome = needed === 0 ? ": it takes effect without any" : "";
			return this.printRecord(
				{ ...shown, approvalsNeeded: needed },
				{
					...shown,
					approvalsNeeded: `${needed} (7/10 of ${active} active witnesses, rounded down)${outcome}`,
				},
			);
		}
		if (flags["or-null"]) return this.printScalar(null);
		throw new Failure("not_found", `there is no proposal ${id}`);
	}
}
