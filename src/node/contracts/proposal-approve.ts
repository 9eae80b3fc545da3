/** ProposalApproveContract (protocol/parameters §1.2): a witness approves a proposal or takes its approval back. */

import { isAddress } from "../../protocol/address.js";
import { be64, equalBytes, toHex } from "../../protocol/bytes.js";
import { Proposal, type ProposalApproveContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { requireOpen, requireProposal } from "./proposal-lookup.js";

export const proposalApprove = defineContract<ProposalApproveContract>({
	type: "ProposalApproveContract",

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const hex = toHex(contract.owner_address);
		if (!state.account.has(contract.owner_address)) {
			throw new ContractValidateError(`Account[${hex}] not exists`);
		}
		if (!state.witness.has(contract.owner_address)) {
			throw new ContractValidateError(`Witness[${hex}] not exists`);
		}
		const proposal = requireProposal(state, contract.proposal_id);
		requireOpen(state, proposal);
		const approved = approvalIndex(proposal, contract.owner_address) >= 0;
		if (!contract.is_add_approval && !approved) {
			throw new ContractValidateError(
				`Witness[${hex}]has not approved proposal[${contract.proposal_id}] before`,
			);
		}
		if (contract.is_add_approval && approved) {
			throw new ContractValidateError(`Witness[${hex}]has approved proposal[${contract.proposal_id}] before`);
		}
	},

	execute({ state, contract }) {
		const proposal = Proposal.copy(requireProposal(state, contract.proposal_id));
		proposal.approvals = contract.is_add_approval
			? [...proposal.approvals, contract.owner_address]
			: proposal.approvals.toSpliced(approvalIndex(proposal, contract.owner_address), 1);
		state.proposal.put(be64(contract.proposal_id), proposal);
	},
});

function approvalIndex(proposal: Readonly<Proposal>, witness: Uint8Array): number {
	return proposal.approvals.findIndex((address) => equalBytes(address, witness));
}
