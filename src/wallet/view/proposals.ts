/** Proposals of new chain parameters (protocol/http-endpoints §3.4, protocol/parameters). */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { Proposal, ProposalList, ProposalStateEnum } from "../../protocol/messages.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient } from "../node/node-client.js";

export interface ProposalView {
	readonly id: bigint;
	readonly state: string;
	readonly proposer: string;
	/** Epoch milliseconds. */
	readonly created: bigint;
	readonly expiration: bigint;
	/** Values by the parameter's number, with its name if known, and `about`, its description, if requested. */
	readonly parameters: readonly {
		readonly id: bigint;
		readonly name?: string | undefined;
		readonly value: bigint;
		readonly about?: string | undefined;
	}[];
	readonly approvals: readonly string[];
	/** Approvals of active witnesses that it needs; only while it is open, and if requested. */
	readonly approvalsNeeded?: number | undefined;
}

/** A proposal for printing. @param nameOf the name of a parameter by its number */
export function viewProposal(
	proposal: Readonly<Proposal>,
	nameOf: (id: bigint) => string | undefined,
): ProposalView {
	return {
		id: proposal.proposal_id,
		state: ProposalStateEnum.names.get(proposal.state) ?? String(proposal.state),
		proposer: toBase58Check(proposal.proposer_address),
		created: proposal.create_time,
		expiration: proposal.expiration_time,
		parameters: [...proposal.parameters].map(([id, value]) => ({ id, name: nameOf(id), value })),
		approvals: proposal.approvals.map((address) => toBase58Check(address)),
	};
}

/** The state for people. On a chain with a single active witness, no approvals are needed. */
export function proposalStateText({ state, approvals }: ProposalView): string {
	return state === "APPROVED" && approvals.length === 0
		? `${state}, by nobody: 7/10 of the active witnesses, rounded down, were none`
		: state;
}

/** The approvals of active witnesses that a proposal needs: seven tenths of them, rounded down. */
export const approvalsNeeded = (activeWitnesses: number): number => Math.trunc((activeWitnesses * 7) / 10);

/** All proposals, newest first. */
export async function fetchProposals(client: NodeClient): Promise<readonly Readonly<Proposal>[]> {
	return messageFrom(ProposalList, await client.call("listproposals", {})).proposals;
}

/** Proposals by number, after the first `offset` numbers. */
export async function proposalPage(
	client: NodeClient,
	offset: bigint,
	limit: bigint,
): Promise<readonly Readonly<Proposal>[]> {
	return messageFrom(ProposalList, await client.call("getpaginatedproposallist", { offset, limit }))
		.proposals;
}

/** Fetches a proposal by its number; undefined if there is none. */
export async function proposalById(client: NodeClient, id: bigint): Promise<Readonly<Proposal> | undefined> {
	const answer = await client.call("getproposalbyid", { id });
	return Object.keys(answer).length === 0 ? undefined : messageFrom(Proposal, answer);
}

/** The number of an account's newest proposal with these values, which the receipt doesn't contain. */
export async function newestProposalId(
	client: NodeClient,
	proposer: Uint8Array,
	parameters: ReadonlyMap<bigint, bigint>,
): Promise<bigint | undefined> {
	const same = (proposal: Readonly<Proposal>): boolean =>
		equalBytes(proposal.proposer_address, proposer) &&
		proposal.parameters.size === parameters.size &&
		[...parameters].every(([id, value]) => proposal.parameters.get(id) === value);
	const ids = (await fetchProposals(client)).filter(same).map(({ proposal_id }) => proposal_id);
	return ids.reduce<bigint | undefined>((max, id) => (max === undefined || id > max ? id : max), undefined);
}
