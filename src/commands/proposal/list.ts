import { Flags } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { parameterNames } from "../../terminal/chain/parameter-names.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { localTime } from "../../terminal/output/output.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { proposalShape } from "../../terminal/schema/view-shapes.js";
import { parseNatural } from "../../wallet/values/integer-text.js";
import { allProposals, proposalPage, viewProposal } from "../../wallet/view/proposals.js";

/** The network's longest page. */
const MAX_PAGE = "1000";

export default class ProposalList extends QueryCommand {
	static override summary = "List proposals, newest first; with --offset or --limit a page by number";
	static override result = lines(proposalShape);
	static override flags = {
		...nodeFlags,
		state: Flags.option({
			options: ["pending", "approved", "disapproved", "canceled"] as const,
			description: "only those in this state",
		})(),
		offset: Flags.string({ description: "leave out the first numbers", helpValue: "<n>" }),
		limit: Flags.string({ description: "maximum number of results", helpValue: "<n>" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(ProposalList);
		const { offset, limit, state } = flags;
		const paged = offset !== undefined || limit !== undefined;
		const page = [parseNatural(offset ?? "0"), parseNatural(limit ?? MAX_PAGE)] as const;
		const client = await this.client(flags);
		const proposals = paged ? await proposalPage(client, ...page) : await allProposals(client);
		const nameOf = await parameterNames();
		const views = proposals
			.map((proposal) => viewProposal(proposal, nameOf))
			.filter((view) => state === undefined || view.state === state.toUpperCase());
		this.printList(
			views,
			["id", "state", "proposer", "expiration", "approvals", "parameters"],
			"no proposals",
			views.map((view) => ({
				...view,
				expiration: localTime(view.expiration),
				approvals: view.approvals.length,
				parameters: view.parameters.map(({ id, name, value }) => `${name ?? id}=${value}`),
			})),
		);
	}
}
