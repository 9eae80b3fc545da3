/** ProposalDeleteContract (protocol/parameters §1.3): a proposer withdraws its proposal; it need not be a witness any more. */

import { isAddress } from "../../protocol/address.js";
import { be64, equalBytes, toHex } from "../../protocol/bytes.js";
import { Proposal, type ProposalDeleteContract, ProposalState } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { requireOpen, requireProposal } from "./proposal-lookup.js";

export const proposalDelete = defineContract<ProposalDeleteContract>({
	type: "ProposalDeleteContract",

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const hex = toHex(contract.owner_address);
		if (!state.account.has(contract.owner_address)) {
			throw new ContractValidateError(`Account[${hex}] not exists`);
		}
		const proposal = requireProposal(state, contract.proposal_id);
		if (!equalBytes(proposal.proposer_address, contract.owner_address)) {
			throw new ContractValidateError(`Proposal[${contract.proposal_id}] is not proposed by ${hex}`);
		}
		requireOpen(state, proposal);
	},

	execute({ state, contract }) {
		const proposal = Proposal.copy(requireProposal(state, contract.proposal_id));
		proposal.state = ProposalState.CANCELED;
		state.proposal.put(be64(contract.proposal_id), proposal);
	},
});
