/** What approving and deleting a proposal have in common: the proposal must be there and still open. */

import { be64 } from "../../protocol/bytes.js";
import { type Proposal, ProposalState } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";

/** The proposal of an id. @throws {ContractValidateError} if there is none */
export function requireProposal(state: StateView, id: bigint): Readonly<Proposal> {
	const known = id <= state.properties.get("LATEST_PROPOSAL_NUM");
	const proposal = known ? state.proposal.get(be64(id)) : undefined;
	if (!proposal) throw new ContractValidateError(`Proposal[${id}] not exists`);
	return proposal;
}

/** @throws {ContractValidateError} if the proposal's time is over or its proposer has withdrawn it */
export function requireOpen(state: StateView, proposal: Readonly<Proposal>): void {
	if (state.properties.headTimestampMs >= proposal.expiration_time) {
		throw new ContractValidateError(`Proposal[${proposal.proposal_id}] expired`);
	}
	if (proposal.state === ProposalState.CANCELED) {
		throw new ContractValidateError(`Proposal[${proposal.proposal_id}] canceled`);
	}
}
