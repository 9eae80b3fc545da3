/** `coin proposal …`: proposals to change chain parameters. */

import { Flags } from "@oclif/core";
import { equalBytes } from "../protocol/bytes.js";
import {
	ProposalApproveContract,
	ProposalCreateContract,
	ProposalDeleteContract,
	ProposalState,
} from "../protocol/messages.js";
import { query } from "../terminal/base/command-row.js";
import { parameterNames, parameterNotes, parseParameters } from "../terminal/chain/parameter-names.js";
import { nodeFlags, required } from "../terminal/flags/flags.js";
import { localTime } from "../terminal/output/output.js";
import { lines, orNull } from "../terminal/schema/result-shape.js";
import { proposalShape } from "../terminal/schema/view-shapes.js";
import { acting, sendsNow } from "../terminal/sending/rows.js";
import { Failure } from "../wallet/failure.js";
import type { NodeClient } from "../wallet/node/node-client.js";
import { contractOf } from "../wallet/transaction/contract.js";
import { parseNatural } from "../wallet/values/integer-text.js";
import {
	approvalsNeeded,
	fetchProposals,
	newestProposalId,
	proposalById,
	proposalPage,
	proposalStateText,
	viewProposal,
} from "../wallet/view/proposals.js";
import { activeWitnessCount } from "../wallet/view/witnesses.js";

export const ProposalApprove = acting({
	summary: "Approve a proposal, or take the approval back",
	examples: ["<%= config.bin %> proposal approve 1 --from alice"],
	args: {
		id: required("number of the proposal"),
	},
	flags: {
		withdraw: Flags.boolean({ description: "take the approval back" }),
	},
	plan: async ({ args, flags, actor }) => {
		const proposalId = parseNatural(args.id);
		const { owner, client } = await actor();
		const known = sendsNow(flags) ? await proposalById(client, proposalId) : undefined;
		const isApproved = known?.approvals.some((address) => equalBytes(address, owner));
		if (known?.state === ProposalState.PENDING && isApproved === !flags.withdraw)
			return {
				nothing: `the account ${isApproved ? "approves" : "doesn't approve"} of the proposal already`,
			};
		return {
			...contractOf(ProposalApproveContract, {
				owner_address: owner,
				proposal_id: proposalId,
				is_add_approval: !flags.withdraw,
			}),
			confirmation: 2,
			details: flags.offline ? [] : await parameterLines(client, proposalId),
			result: { proposalId },
		};
	},
});

/** The proposed parameter changes. */
async function parameterLines(client: NodeClient, id: bigint): Promise<string[]> {
	const proposal = await proposalById(client, id);
	const nameOf = await parameterNames();
	return [...(proposal?.parameters ?? [])].map(
		([parameter, value]) => `  proposed    ${nameOf(parameter) ?? parameter} = ${value}`,
	);
}

export const ProposalCreate = acting({
	summary: "Propose new values of chain parameters",
	description: "Only witnesses may. A parameter goes by its number or any of its names (coin chain params).",
	examples: [
		"<%= config.bin %> proposal create MEMO_FEE=2000000 --from alice --wait",
		"<%= config.bin %> proposal create getEnergyFee=210 3=1000 --from alice",
	],
	strict: false,
	usage: "proposal create <name or id>=<value>...",
	plan: async ({ argv, actor }) => {
		if (argv.length === 0)
			throw new Failure("usage", "no parameter: name <name or id>=<value>", { hint: "see --help" });
		const parameters = await parseParameters(argv);
		const nameOf = await parameterNames();
		const notes = await parameterNotes();
		const { client, owner } = await actor();
		return {
			...contractOf(ProposalCreateContract, { owner_address: owner, parameters }),
			details: [...parameters].flatMap(([id, value]) => {
				const name = nameOf(id);
				const note = name && notes[name];
				return [`  proposed    ${name ?? id} = ${value}`, ...(note ? [`              ${note}`] : [])];
			}),
			found: async () => ({ proposalId: await newestProposalId(client, owner, parameters) }),
		};
	},
});

export const ProposalDelete = acting({
	summary: "Cancel a proposal of one's own",
	examples: ["<%= config.bin %> proposal delete 2 --from alice"],
	args: {
		id: required("number of the proposal"),
	},
	plan: async ({ args, flags, actor }) => {
		const proposalId = parseNatural(args.id);
		const { owner, client } = await actor();
		const known = sendsNow(flags) ? await proposalById(client, proposalId) : undefined;
		if (known?.state === ProposalState.CANCELED && equalBytes(known.proposer_address, owner))
			return { nothing: "the proposal is cancelled already" };
		return {
			...contractOf(ProposalDeleteContract, { owner_address: owner, proposal_id: proposalId }),
			result: { proposalId },
		};
	},
});

/** The network's maximum page size. */
const MAX_PAGE = "1000";

export const ProposalList = query({
	summary: "List proposals, newest first; with --offset or --limit a page by number",
	examples: ["<%= config.bin %> proposal list --state pending"],
	result: lines(proposalShape),
	flags: {
		...nodeFlags,
		state: Flags.option({
			options: ["pending", "approved", "disapproved", "canceled"] as const,
			description: "only those in this state",
		})(),
		offset: Flags.string({ description: "leave out the first numbers", helpValue: "<n>" }),
		limit: Flags.string({ description: "maximum number of results", helpValue: "<n>" }),
	},
	run: async ({ flags, client, print }) => {
		const { offset, limit, state } = flags;
		const paged = offset !== undefined || limit !== undefined;
		const page = [parseNatural(offset ?? "0"), parseNatural(limit ?? MAX_PAGE)] as const;
		const proposals = paged ? await proposalPage(client, ...page) : await fetchProposals(client);
		const nameOf = await parameterNames();
		const views = proposals
			.map((proposal) => viewProposal(proposal, nameOf))
			.filter((view) => state === undefined || view.state === state.toUpperCase());
		print.list(
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
	},
});

export const ProposalShow = query({
	summary: "Show a proposal",
	examples: ["<%= config.bin %> proposal show 1"],
	args: {
		id: required("number of the proposal"),
	},
	result: orNull(proposalShape),
	flags: {
		...nodeFlags,
		"or-null": Flags.boolean({ description: "print null if there is none" }),
	},
	run: async ({ args, flags, client, print }) => {
		const id = parseNatural(args.id);
		const proposal = await proposalById(client, id);
		if (proposal) {
			const notes = await parameterNotes();
			const view = viewProposal(proposal, await parameterNames());
			const parameters = view.parameters.map((one) => ({ ...one, about: one.name && notes[one.name] }));
			const shown = { ...view, parameters };
			if (proposal.state !== ProposalState.PENDING)
				return print.record(shown, { ...shown, state: proposalStateText(view) });
			const active = await activeWitnessCount(client);
			const needed = approvalsNeeded(active);
			const outcome = needed === 0 ? ": it takes effect without any" : "";
			return print.record(
				{ ...shown, approvalsNeeded: needed },
				{
					...shown,
					approvalsNeeded: `${needed} (7/10 of ${active} active witnesses, rounded down)${outcome}`,
				},
			);
		}
		if (flags["or-null"]) return print.scalar(null);
		throw new Failure("not_found", `there is no proposal ${id}`);
	},
});
