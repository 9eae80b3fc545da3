/** Decides proposals at maintenance (protocol/consensus §5.2, protocol/parameters §1.4). */

import { be64, toKey } from "../../protocol/bytes.js";
import { Proposal, ProposalState } from "../../protocol/messages.js";
import type { ForkGates } from "../rules/fork-gates.js";
import type { StateView } from "../state/view.js";
import { chainParameter } from "./parameters.js";
import { activeWitnesses } from "./slots.js";

/**
 * Decides every expired open proposal, newest first, with the active witnesses of the ending cycle. Runs in a
 * maintenance block after its rewards and before {@link runMaintenance}.
 *
 * The walk ends at the first decided proposal: an open one below it is never decided.
 */
export function processProposals(state: StateView, forks: ForkGates): void {
	const { properties } = state;
	const active = new Set(activeWitnesses(state).map(toKey));
	const maintenanceMs = properties.get("NEXT_MAINTENANCE_TIME");
	for (let id = properties.get("LATEST_PROPOSAL_NUM"); id > 0n; id--) {
		const proposal = state.proposal.get(be64(id));
		if (!proposal || proposal.state === ProposalState.CANCELED) continue;
		if (proposal.state !== ProposalState.PENDING) break;
		if (proposal.expiration_time <= maintenanceMs) decide(state, forks, proposal, active);
	}
}

/** Approves a proposal if seven tenths of the active witnesses (rounded down) voted for it, and applies it. */
function decide(
	state: StateView,
	forks: ForkGates,
	proposal: Readonly<Proposal>,
	active: ReadonlySet<string>,
): void {
	const approvals = proposal.approvals.filter((address) => active.has(toKey(address))).length;
	const approved = approvals >= Math.trunc((active.size * 7) / 10);
	if (approved) applyParameters(state, forks, proposal);
	const decided = Proposal.copy(proposal);
	decided.state = approved ? ProposalState.APPROVED : ProposalState.DISAPPROVED;
	state.proposal.put(be64(proposal.proposal_id), decided);
}

/** Sets the parameters in the proposal's order, skipping unknown numbers. */
function applyParameters(state: StateView, forks: ForkGates, proposal: Readonly<Proposal>): void {
	for (const [id, value] of proposal.parameters) {
		const parameter = chainParameter(id, forks.network);
		parameter?.apply({
			state,
			forks,
			property: parameter.property,
			value,
			sinceMs: proposal.expiration_time,
		});
	}
}
