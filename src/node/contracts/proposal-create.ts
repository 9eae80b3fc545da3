/** ProposalCreateContract (protocol/parameters §1.1): a witness proposes values of chain parameters. */

import { isAddress } from "../../protocol/address.js";
import { be64, toHex } from "../../protocol/bytes.js";
import { Proposal, type ProposalCreateContract } from "../../protocol/messages.js";
import { chainParameter, isKnownTo, proposalLifeMs } from "../consensus/parameters.js";
import { ContractValidateError } from "../rules/errors.js";
import { type ContractContext, defineContract } from "./contract.js";

export const proposalCreate = defineContract<ProposalCreateContract>({
	type: "ProposalCreateContract",

	validate(context) {
		const { state, contract } = context;
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const hex = toHex(contract.owner_address);
		if (!state.account.has(contract.owner_address)) {
			throw new ContractValidateError(`Account[${hex}] not exists`);
		}
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

/** Each value is checked against the chain as it is now, not against the other values of the proposal. */
function checkParameter({ state, rules, forks }: ContractContext, id: bigint, value: bigint): void {
	const parameter = chainParameter(id, forks.network);
	const unknown = `Does not support code : ${id}`;
	if (!parameter) throw new ContractValidateError(unknown);
	const { name, property, checks } = parameter;
	for (const [i, check] of checks.entries()) {
		const refusal = check({ state, forks, name, property, value });
		if (refusal === undefined) continue;
		// The gate comes first: a parameter that the node's release doesn't know begins to exist once it is open.
		throw new ContractValidateError(i === 0 && !isKnownTo(rules, parameter) ? unknown : refusal);
	}
}

/** The first maintenance after the proposal has been open for its whole time, in milliseconds. */
function expirationTime({ state: { properties }, rules }: ContractContext): bigint {
	const interval = properties.get("MAINTENANCE_TIME_INTERVAL");
	const next = properties.get("NEXT_MAINTENANCE_TIME");
	const open =
		properties.headTimestampMs + proposalLifeMs(properties.get("PROPOSAL_EXPIRE_TIME"), rules) - next;
	return next + (open / interval + 1n) * interval;
}
