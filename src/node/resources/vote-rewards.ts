/** Vote rewards, and their settlement into an account's allowance (protocol/staking §7). Amounts in sun. */

import { fromDouble, maxInt, minInt, toDouble, wrap } from "../../protocol/int64.js";
import { Account, type Vote } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";
import * as cycles from "./delegation-store.js";
import { oldRewardVi, VI_SCALE } from "./old-reward-vi.js";

/** Adds to an account's allowance, if the account exists; amounts that aren't positive are ignored. */
export function addAllowance(state: StateView, address: Uint8Array, amount: bigint): void {
	if (amount <= 0n) return;
	const account = state.account.get(address);
	if (!account) return;
	const copy = Account.copy(account);
	copy.allowance = wrap(copy.allowance + amount);
	state.account.put(address, copy);
}

/** The reward of votes over the cycles [begin, end). */
export function computeReward(
	state: StateView,
	begin: bigint,
	end: bigint,
	votes: readonly Readonly<Vote>[],
): bigint {
	if (begin >= end) return 0n;
	const effective = state.properties.get("NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE");
	let total = 0n;
	if (begin < effective) total += computeOldReward(state, begin, minInt(end, effective), votes);
	if (effective < end) total += computeViReward(state, maxInt(begin, effective), end, votes);
	return wrap(total);
}

/** Rewards of cycles before the cumulative algorithm. The order of roundings is consensus-critical. */
function computeOldReward(
	state: StateView,
	begin: bigint,
	end: bigint,
	votes: readonly Readonly<Vote>[],
): bigint {
	if (state.properties.on("ALLOW_OLD_REWARD_OPT")) return computeOldViReward(state, begin, end, votes);
	let total = 0n;
	for (let cycle = begin; cycle < end; cycle++) {
		let sum = 0n;
		for (const vote of votes) {
			const reward = cycles.cycleReward(state, cycle, vote.vote_address);
			if (reward <= 0n) continue;
			const all = cycles.cycleVotes(state, cycle, vote.vote_address);
			if (all === undefined || all === -1n || all === 0n) continue;
			sum = fromDouble(toDouble(sum) + (toDouble(vote.vote_count) / toDouble(all)) * toDouble(reward));
		}
		total += sum;
	}
	return total;
}

/** The same cycles, computed from accumulated sums. */
function computeOldViReward(
	state: StateView,
	begin: bigint,
	end: bigint,
	votes: readonly Readonly<Vote>[],
): bigint {
	return earned(votes, (witness) => {
		return oldRewardVi(state, end - 1n, witness) - oldRewardVi(state, begin - 1n, witness);
	});
}

function computeViReward(
	state: StateView,
	begin: bigint,
	end: bigint,
	votes: readonly Readonly<Vote>[],
): bigint {
	return earned(votes, (witness) => {
		return cycles.cycleVi(state, end - 1n, witness) - cycles.cycleVi(state, begin - 1n, witness);
	});
}

/** Rewards of votes from the growth of the accumulated reward per vote. */
function earned(votes: readonly Readonly<Vote>[], growth: (witness: Uint8Array) => bigint): bigint {
	let total = 0n;
	for (const { vote_address, vote_count } of votes) {
		const vi = growth(vote_address);
		if (vi > 0n) total += BigInt.asIntN(64, (vi * vote_count) / VI_SCALE);
	}
	return total;
}

/** The rules for settling votes. */
export interface RewardRules {
	/** The chain parameter that must be on. */
	readonly parameter: "CHANGE_DELEGATION" | "ALLOW_TVM_VOTE";
	/** The reward of votes over the cycles [begin, end). */
	compute(state: StateView, begin: bigint, end: bigint, votes: readonly Readonly<Vote>[]): bigint;
}

/** For transactions and queries. */
export const chainRewards: RewardRules = { parameter: "CHANGE_DELEGATION", compute: computeReward };

/** For contract code, which gets no rewards from before the cumulative algorithm. */
export const machineRewards: RewardRules = {
	parameter: "ALLOW_TVM_VOTE",
	compute: (state, begin, end, votes) => (begin < end ? wrap(computeViReward(state, begin, end, votes)) : 0n),
};

/** Settles an account's vote rewards into its allowance, before its votes change (protocol/staking §7). */
export function withdrawReward(
	state: StateView,
	address: Uint8Array,
	rules: RewardRules = chainRewards,
): void {
	if (!state.properties.on(rules.parameter)) return;
	const current = state.properties.get("CURRENT_CYCLE_NUMBER");
	let begin = cycles.beginCycle(state, address);
	const account = state.account.get(address);
	if (begin > current || !account) return;
	const end = cycles.endCycle(state, address);
	if (begin === current && cycles.accountVote(state, begin, address)) return;
	if (begin + 1n === end && begin < current) {
		const snapshot = cycles.accountVote(state, begin, address);
		if (snapshot) addAllowance(state, address, rules.compute(state, begin, end, snapshot.votes));
		begin += 1n;
	}
	if (account.votes.length === 0) {
		cycles.setBeginCycle(state, address, current + 1n);
		return;
	}
	addAllowance(state, address, rules.compute(state, begin, current, account.votes));
	cycles.setBeginCycle(state, address, current);
	cycles.setEndCycle(state, address, current + 1n);
	// The snapshot is the record from before this settlement.
	cycles.setAccountVote(state, current, address, account);
}

/** What an account could withdraw now, including its allowance; read-only. */
export function queryReward(
	state: StateView,
	address: Uint8Array,
	rules: RewardRules = chainRewards,
): bigint {
	if (!state.properties.on(rules.parameter)) return 0n;
	const account = state.account.get(address);
	if (!account) return 0n;
	const current = state.properties.get("CURRENT_CYCLE_NUMBER");
	let begin = cycles.beginCycle(state, address);
	const end = cycles.endCycle(state, address);
	if (begin > current) return account.allowance;
	if (begin === current && cycles.accountVote(state, begin, address)) return account.allowance;
	let reward = 0n;
	if (begin + 1n === end && begin < current) {
		const snapshot = cycles.accountVote(state, begin, address);
		if (snapshot) reward += rules.compute(state, begin, end, snapshot.votes);
		begin += 1n;
	}
	reward += rules.compute(state, begin, current, account.votes);
	return wrap(reward + account.allowance);
}
