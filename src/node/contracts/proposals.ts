/** Proposal transaction types (protocol/parameters §1). */

import { be64, equalBytes, toHex } from "../../protocol/bytes.js";
import {
	Proposal,
	type ProposalApproveContract,
	type ProposalCreateContract,
	type ProposalDeleteContract,
	ProposalState,
} from "../../protocol/messages.js";
import { chainParameter, isKnownTo, proposalLifeMs } from "../consensus/parameters.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { type ContractContext, defineContract, requireAccount } from "./contract.js";

/** The proposal with an id. @throws {ContractValidateError} if there is none */
function requireProposal(state: StateView, id: bigint): Readonly<Proposal> {
	const known = id <= state.properties.get("LATEST_PROPOSAL_NUM");
	const proposal = known ? state.proposal.get(be64(id)) : undefined;
	if (!proposal) throw new ContractValidateError(`Proposal[${id}] not exists`);
	return proposal;
}

/** @throws {ContractValidateError} if the proposal's time is over or its proposer has withdrawn it */
function requireOpen(state: StateView, proposal: Readonly<Proposal>): void {
	if (state.properties.headTimestampMs >= proposal.expiration_time) {
		throw new ContractValidateError(`Proposal[${proposal.proposal_id}] expired`);
	}
	if (proposal.state === ProposalState.CANCELED) {
		throw new ContractValidateError(`Proposal[${proposal.proposal_id}] canceled`);
	}
}

/** ProposalCreateContract (protocol/parameters §1.1): a witness proposes values of chain parameters. */
export const proposalCreate = defineContract<ProposalCreateContract>({
	type: "ProposalCreateContract",

	validate(context) {
		const { state, contract } = context;
		requireAccount(state, contract.owner_address, "not exists");
		const hex = toHex(contract.owner_address);
		if (!state.witness.has(contract.owner_address)) {
			throw new ContractValidateError(`Witness[${hex}] not exists`);
		}
		if (contract.parameters.size === 0) {
			throw new ContractValidateError("This proposal has no parameter.");
		}
		for (const [id, value] of contract.parameters) checkParameter(context, id, value);
	},

	execute(context) {
		const { state, contract } = context;
		const { properties } = state;
		const id = properties.get("LATEST_PROPOSAL_NUM") + 1n;
		state.proposal.put(
			be64(id),
			Proposal.create({
				proposal_id: id,
				proposer_address: contract.owner_address,
				parameters: contract.parameters,
				create_time: properties.headTimestampMs,
				expiration_time: expirationTime(context),
			}),
		);
		properties.set("LATEST_PROPOSAL_NUM", id);
	},
});

/** Checks a value against the current state of the chain, not against the proposal's other values. */
function checkParameter({ state, rules, forks }: ContractContext, id: bigint, value: bigint): void {
	const parameter = chainParameter(id, forks.network);
	const unknown = `Does not support code : ${id}`;
	if (!parameter) throw new ContractValidateError(unknown);
	const { name, property, checks } = parameter;
	for (const [i, check] of checks.entries()) {
		const refusal = check({ state, forks, name, property, value });
		if (refusal === undefined) continue;
		// The gate comes first: a parameter unknown to this node's release exists only once its gate is open.
		throw new ContractValidateError(i === 0 && !isKnownTo(rules, parameter) ? unknown : refusal);
	}
}

/** The first maintenance after the proposal's full lifetime, in milliseconds. */
function expirationTime({ state: { properties }, rules }: ContractContext): bigint {
	const interval = properties.get("MAINTENANCE_TIME_INTERVAL");
	const next = properties.get("NEXT_MAINTENANCE_TIME");
	const open =
		properties.headTimestampMs + proposalLifeMs(properties.get("PROPOSAL_EXPIRE_TIME"), rules) - next;
	return next + (open / interval + 1n) * interval;
}

/** ProposalApproveContract (protocol/parameters §1.2): a witness approves a proposal or withdraws its approval. */
export const proposalApprove = defineContract<ProposalApproveContract>({
	type: "ProposalApproveContract",

	validate({ state, contract }) {
		requireAccount(state, contract.owner_address, "not exists");
		const hex = toHex(contract.owner_address);
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

/** ProposalDeleteContract (protocol/parameters §1.3): a proposer cancels its proposal, even if it is no longer a witness. */
export const proposalDelete = defineContract<ProposalDeleteContract>({
	type: "ProposalDeleteContract",

	validate({ state, contract }) {
		requireAccount(state, contract.owner_address, "not exists");
		const hex = toHex(contract.owner_address);
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
