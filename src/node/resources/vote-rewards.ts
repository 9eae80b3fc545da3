/** What votes earn, and settling it into an account's allowance (sheet 02 §6.5, sheet 03 §9.5). Amounts in sun. */

import { fromDouble, maxInt, minInt, toDouble, wrap } from "../../protocol/int64.js";
import { Account, type Vote } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";
import * as cycles from "./delegation-store.js";

/** Rewards per vote are accumulated in 10^-18 sun. */
export const VI_SCALE = 10n ** 18n;

/** Adds to the allowance of an account that exists; amounts that aren't positive are ignored. */
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

/** Rewards of cycles before the cumulative algorithm. */
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

/** The same cycles by accumulation: what the network precomputes into its table "reward-vi". */
function computeOldViReward(
	state: StateView,
	begin: bigint,
	end: bigint,
	votes: readonly Readonly<Vote>[],
): bigint {
	let total = 0n;
	for (const vote of votes) {
		let vi = 0n;
		let atBegin = 0n;
		for (let cycle = 1n; cycle < end; cycle++) {
			if (cycle === begin) atBegin = vi;
			const reward = cycles.cycleReward(state, cycle, vote.vote_address);
			const all = cycles.cycleVotes(state, cycle, vote.vote_address) ?? -1n;
			if (reward !== 0n && all !== 0n) vi += (reward * VI_SCALE) / all;
		}
		if (begin >= end) atBegin = vi;
		const difference = vi - atBegin;
		if (difference > 0n) total += BigInt.asIntN(64, (difference * vote.vote_count) / VI_SCALE);
	}
	return total;
}

function computeViReward(
	state: StateView,
	begin: bigint,
	end: bigint,
	votes: readonly Readonly<Vote>[],
): bigint {
	let total = 0n;
	for (const vote of votes) {
		const difference =
			cycles.cycleVi(state, end - 1n, vote.vote_address) -
			cycles.cycleVi(state, begin - 1n, vote.vote_address);
		if (difference > 0n) total += BigInt.asIntN(64, (difference * vote.vote_count) / VI_SCALE);
	}
	return total;
}

/** Settles an account's vote rewards into its allowance, before its votes change (sheet 02 §6.5). */
export function withdrawReward(state: StateView, address: Uint8Array): void {
	if (!state.properties.on("CHANGE_DELEGATION")) return;
	const current = state.properties.get("CURRENT_CYCLE_NUMBER");
	let begin = cycles.beginCycle(state, address);
	const end = cycles.endCycle(state, address);
	const account = state.account.get(address);
	if (begin > current || !account) return;
	if (begin === current && cycles.accountVote(state, begin, address)) return;
	if (begin + 1n === end && begin < current) {
		const snapshot = cycles.accountVote(state, begin, address);
		if (snapshot) addAllowance(state, address, computeReward(state, begin, end, snapshot.votes));
		begin += 1n;
	}
	if (account.votes.length === 0) {
		cycles.setBeginCycle(state, address, current + 1n);
		return;
	}
	if (begin < current) addAllowance(state, address, computeReward(state, begin, current, account.votes));
	cycles.setBeginCycle(state, address, current);
	cycles.setEndCycle(state, address, current + 1n);
	// The snapshot is of the record as it was before this settlement.
	cycles.setAccountVote(state, current, address, account);
}

/** What an account could withdraw now, its allowance included; writes nothing. */
export function queryReward(state: StateView, address: Uint8Array): bigint {
	if (!state.properties.on("CHANGE_DELEGATION")) return 0n;
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
		if (snapshot) reward += computeReward(state, begin, end, snapshot.votes);
		begin += 1n;
	}
	if (account.votes.length === 0) return wrap(reward + account.allowance);
	if (begin < current) reward += computeReward(state, begin, current, account.votes);
	return wrap(reward + account.allowance);
}
