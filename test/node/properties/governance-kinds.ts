/** Random transactions about votes, witnesses, rewards and proposals. */

import { chainParameters } from "../../../src/node/consensus/parameters.js";
import { queryReward } from "../../../src/node/resources/vote-rewards.js";
import { votingPower } from "../../../src/node/resources/votes.js";
import type { StateView } from "../../../src/node/state/view.js";
import { namesByNumber } from "../../../src/node/tokens/token-store.js";
import { equalBytes, utf8 } from "../../../src/protocol/bytes.js";
import { SUN_PER_COIN } from "../../../src/protocol/int64.js";
import {
	ProposalApproveContract,
	ProposalCreateContract,
	ProposalDeleteContract,
	UpdateBrokerageContract,
	VoteWitnessContract,
	VoteWitnessContractVote,
	WithdrawBalanceContract,
	WitnessCreateContract,
	WitnessUpdateContract,
} from "../../../src/protocol/messages.js";
import type { Dice } from "./dice.js";
import { openProposals, ownersWhere, proposals, witnesses } from "./facts.js";
import type { TransactionKind } from "./kinds.js";
import { addresses, isGenesisWitness } from "./small-chain.js";

const parameterIds = chainParameters.flatMap(({ id }) => (id === undefined ? [] : [id]));

const ASSET_OPTIMIZATION = 66n;

/** Values of parameters that are not switches. */
const VALUES = [0n, 2n, 14n, 100n, 1_000n, 90_000n, 200_000n, 1_000_000n, 1_000_000_000n];

/**
 * A parameter and a value for it: mostly a switch turned on. The layout of token balances by number is left alone
 * while tokens go by name: it forgets what accounts hold by name (protocol/tokens §8.3), and no network was ever so.
 */
export function randomParameter(state: StateView, dice: Dice): ReadonlyMap<bigint, bigint> {
	const ids = parameterIds.filter((id) => id !== ASSET_OPTIMIZATION || namesByNumber(state));
	const id = dice.pick(ids) as bigint;
	return new Map([[id, dice.once(3) ? (dice.pick(VALUES) as bigint) : 1n]]);
}

export const governanceKinds: readonly TransactionKind[] = [
	{
		type: "VoteWitnessContract",
		weight: 5,
		owners: (state) =>
			ownersWhere(state, (account) => votingPower(state.properties, account) >= SUN_PER_COIN),
		build: (state, owner, dice) => {
			const account = state.account.get(owner);
			const power = account ? votingPower(state.properties, account) / SUN_PER_COIN : 0n;
			const count = 1 + dice.next(3);
			const votes = Array.from({ length: count }, () =>
				VoteWitnessContractVote.create({
					vote_address: dice.prefer(witnesses(state), addresses) as Uint8Array,
					vote_count: dice.amount(power / BigInt(count)),
				}),
			);
			return VoteWitnessContract.create({ owner_address: owner, votes });
		},
	},
	{
		type: "WithdrawBalanceContract",
		weight: 8,
		owners: (state) =>
			ownersWhere(
				state,
				(account) => !isGenesisWitness(account.address) && queryReward(state, account.address) > 0n,
			),
		build: (_state, owner) => WithdrawBalanceContract.create({ owner_address: owner }),
	},
	{
		type: "WitnessCreateContract",
		owners: (state) => ownersWhere(state, (account) => !account.is_witness),
		build: (_state, owner, dice) =>
			WitnessCreateContract.create({ owner_address: owner, url: utf8("u".repeat(dice.once(12) ? 0 : 3)) }),
	},
	{
		type: "WitnessUpdateContract",
		weight: 1,
		owners: witnesses,
		build: (_state, owner, dice) =>
			WitnessUpdateContract.create({ owner_address: owner, update_url: utf8(`url ${dice.next(9)}`) }),
	},
	{
		type: "UpdateBrokerageContract",
		owners: witnesses,
		build: (_state, owner, dice) =>
			UpdateBrokerageContract.create({ owner_address: owner, brokerage: dice.next(103) - 1 }),
	},
	{
		type: "ProposalCreateContract",
		weight: 4,
		owners: witnesses,
		build: (state, owner, dice) =>
			ProposalCreateContract.create({ owner_address: owner, parameters: randomParameter(state, dice) }),
	},
	{
		type: "ProposalApproveContract",
		owners: (state) => (openProposals(state).length > 0 ? witnesses(state) : []),
		build: (state, owner, dice) => {
			const open = openProposals(state);
			return ProposalApproveContract.create({
				owner_address: owner,
				proposal_id: dice.prefer(open, proposals(state))?.proposal_id ?? 1n,
				is_add_approval: !dice.once(4),
			});
		},
	},
	{
		type: "ProposalDeleteContract",
		weight: 6,
		owners: (state) => openProposals(state).map((proposal) => proposal.proposer_address),
		build: (state, owner, dice) => {
			const own = openProposals(state).filter(({ proposer_address }) => equalBytes(proposer_address, owner));
			return ProposalDeleteContract.create({
				owner_address: owner,
				proposal_id: dice.prefer(own, proposals(state))?.proposal_id ?? 1n,
			});
		},
	},
];
