/** Queries of votes (protocol/precompiles §6). */

import { equalBytes } from "../../../protocol/bytes.js";
import { SUN_PER_COIN, wrap } from "../../../protocol/int64.js";
import { machineRewards, queryReward } from "../../resources/vote-rewards.js";
import { resourcePower, votingPower } from "../../resources/votes.js";
import { toAddress } from "../addresses.js";
import type { Machine } from "../machine.js";
import { amountWord, ONE_WORD, type Precompile, price, succeed, wordAt, ZERO_WORD } from "./precompile.js";

/** A query whose input is a fixed number of addresses; any other input gives zero. */
function voteQuery(
	name: string,
	word: number,
	energy: number,
	operands: number,
	answer: (machine: Machine, ...addresses: Uint8Array[]) => bigint | boolean,
): Precompile {
	return {
		name,
		word,
		gate: "vote",
		energy: price(energy),
		run(input, { machine }) {
			if (input.length !== 32 * operands) return succeed(ZERO_WORD);
			const addresses = Array.from({ length: operands }, (_, i) => toAddress(wordAt(input, i)));
			const result = answer(machine, ...addresses);
			if (typeof result === "boolean") return succeed(result ? ONE_WORD : ZERO_WORD);
			return succeed(amountWord(result));
		},
	};
}

export const rewardBalance: Precompile = {
	name: "rewardBalance",
	word: 0x1000005,
	gate: "vote",
	energy: price(500),
	run: (_input, { machine, caller }) =>
		succeed(amountWord(queryReward(machine.state, caller, machineRewards))),
};

export const isSrCandidate = voteQuery("isSrCandidate", 0x1000006, 20, 1, ({ state }, address) =>
	state.witness.has(address as Uint8Array),
);

export const voteCount = voteQuery("voteCount", 0x1000007, 500, 2, ({ state }, voter, witness) => {
	const votes = state.account.get(voter as Uint8Array)?.votes ?? [];
	return wrap(
		votes.reduce(
			(sum, vote) => (equalBytes(vote.vote_address, witness as Uint8Array) ? sum + vote.vote_count : sum),
			0n,
		),
	);
});

export const usedVoteCount = voteQuery("usedVoteCount", 0x1000008, 20, 1, ({ state }, voter) => {
	const votes = state.account.get(voter as Uint8Array)?.votes ?? [];
	return wrap(votes.reduce((sum, vote) => sum + vote.vote_count, 0n));
});

export const receivedVoteCount = voteQuery(
	"receivedVoteCount",
	0x1000009,
	20,
	1,
	({ state }, witness) => state.witness.get(witness as Uint8Array)?.voteCount ?? 0n,
);

export const totalVoteCount = voteQuery("totalVoteCount", 0x100000a, 20, 1, ({ state, gates }, address) => {
	const account = state.account.get(address as Uint8Array);
	if (!account) return 0n;
	const power = gates.freezeV2 ? votingPower(state.properties, account) : resourcePower(account);
	return power / SUN_PER_COIN;
});
