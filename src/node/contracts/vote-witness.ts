/** VoteWitnessContract (protocol/staking §6.1): replaces an account's votes. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { checked, SUN_PER_COIN } from "../../protocol/int64.js";
import { Account, Vote, type VoteWitnessContract } from "../../protocol/messages.js";
import { withdrawReward } from "../resources/vote-rewards.js";
import { replaceVotes } from "../resources/votes.js";
import { initializeOldPower, votingPower } from "../resources/voting-power.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";
import { validateArithmetic } from "./validate-arithmetic.js";

const MAX_VOTES = 30;

export const voteWitness = defineContract<VoteWitnessContract>({
	type: "VoteWitnessContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		if (contract.votes.length === 0) throw new ContractValidateError("VoteNumber must more than 0");
		if (contract.votes.length > MAX_VOTES) {
			throw new ContractValidateError(`VoteNumber more than maxVoteNumber ${MAX_VOTES}`);
		}
		validateArithmetic(() => {
			const count = countVotes(state, contract);
			const owner = state.account.get(contract.owner_address);
			if (!owner) throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] not exists`);
			const needed = checked(count * SUN_PER_COIN, `overflow: checkedMultiply(${count}, ${SUN_PER_COIN})`);
			const power = votingPower(state.properties, owner);
			if (needed > power) {
				throw new ContractValidateError(
					`The total number of votes[${needed}] is greater than the coinPower[${power}]`,
				);
			}
		});
	},

	execute({ state, contract }) {
		withdrawReward(state, contract.owner_address);
		const owner = Account.copy(state.account.existing(contract.owner_address));
		initializeOldPower(state.properties, owner);
		const votes = contract.votes.map(({ vote_address, vote_count }) =>
			Vote.create({ vote_address, vote_count }),
		);
		replaceVotes(state, owner, votes);
		state.account.put(contract.owner_address, owner);
	},
});

/** The sum of the votes, each checked. @throws {OverflowError} if it leaves 64 bits */
function countVotes(state: StateView, contract: Readonly<VoteWitnessContract>): bigint {
	let sum = 0n;
	for (const { vote_address: candidate, vote_count: count } of contract.votes) {
		if (!isAddress(candidate)) throw new ContractValidateError("Invalid vote address!");
		if (count <= 0n) throw new ContractValidateError("vote count must be greater than 0");
		if (!state.account.has(candidate)) {
			throw new ContractValidateError(`Account[${toHex(candidate)}] not exists`);
		}
		if (!state.witness.has(candidate)) {
			throw new ContractValidateError(`Witness[${toHex(candidate)}] not exists`);
		}
		sum = checked(sum + count, `overflow: checkedAdd(${sum}, ${count})`);
	}
	return sum;
}
