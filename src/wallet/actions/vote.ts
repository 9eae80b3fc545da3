/** Voting for witnesses and withdrawing what that earns, as plans (protocol/staking §3). */

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
 * Votes; the result has the account's `votes` afterwards.
 * @param add keeps the present votes, which are replaced otherwise
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

/** Withdraws the rewards of votes, or of a witness; the network allows it once in 24 hours. */
export function withdrawRewardPlan({ owner }: Pick<Actor, "owner">): Contract {
	return contractOf(WithdrawBalanceContract, { owner_address: owner });
}
