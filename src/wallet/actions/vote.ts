/** Plans voting for witnesses, and withdrawing rewards (protocol/staking §3). */

import { toBase58Check } from "../../protocol/address.js";
import {
	VoteWitnessContract,
	type VoteWitnessContractVote,
	WithdrawBalanceContract,
} from "../../protocol/messages.js";
import { type Contract, contractOf } from "../transaction/contract.js";
import { addedVotes } from "../view/voting.js";
import type { Actor, TransactionPlan } from "./plan.js";

/**
 * Plans a vote; the result contains the account's `votes` after it.
 * @param add adds to the present votes instead of replacing them
 */
export function votePlan(
	{ owner, account }: Pick<Actor, "owner" | "account">,
	wanted: readonly VoteWitnessContractVote[],
	{ add = false }: { readonly add?: boolean } = {},
): TransactionPlan {
	const votes = add ? addedVotes(account.votes, wanted) : [...wanted];
	return {
		...contractOf(VoteWitnessContract, { owner_address: owner, votes }),
		result: {
			votes: votes.map(({ vote_address, vote_count }) => ({
				witness: toBase58Check(vote_address),
				votes: vote_count,
			})),
		},
	};
}

/** Withdraws the rewards of a voter or witness; the network allows it once every 24 hours. */
export function withdrawRewardPlan({ owner }: Pick<Actor, "owner">): Contract {
	return contractOf(WithdrawBalanceContract, { owner_address: owner });
}
