/** Block rewards, and what votes earn (sheet 02 §§6.3 to 6.5). Amounts in sun. */

import { fromDouble, maxInt, minInt, toDouble, wrap } from "../../protocol/int64.js";
import { Account, type Vote } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";
import * as cycles from "./delegation-store.js";
import { witnessesByVotes } from "./witness-order.js";

/** Witnesses that earn standby pay. */
export const STANDBY_COUNT = 127;

const VI_SCALE = 10n ** 18n;

/** Adds to the allowance of an account that exists; amounts that aren't positive are ignored. */
export function addAllowance(state: StateView, address: Uint8Array, amount: bigint): void {
	if (amount <= 0n) return;
	const account = state.account.get(address);
	if (!account) return;
	const copy = Account.copy(account);
	copy.allowance = wrap(copy.allowance + amount);
	state.account.put(address, copy);
}

/** Pays the producer, the standby witnesses and the fee pool of one block. */
export function payBlockRewards(state: StateView, producer: Uint8Array): void {
	const { properties } = state;
	const pool = properties.on("ALLOW_TRANSACTION_FEE_POOL") ? properties.get("TRANSACTION_FEE_POOL") : 0n;
	if (properties.on("CHANGE_DELEGATION")) {
		payWitness(state, producer, properties.get("WITNESS_PAY_PER_BLOCK"));
		payStandby(state);
		if (properties.on("ALLOW_TRANSACTION_FEE_POOL")) payWitness(state, producer, pool);
	} else {
		addAllowance(state, producer, properties.get("WITNESS_PAY_PER_BLOCK") + pool);
	}
	if (pool !== 0n) properties.add("TRANSACTION_FEE_POOL", -pool);
}

function payStandby(state: StateView): void {
	const list = witnessesByVotes(state)
		.slice(0, STANDBY_COUNT)
		.filter((witness) => witness.voteCount >= 1n);
	const sum = wrap(list.reduce((total, witness) => total + witness.voteCount, 0n));
	if (sum < 1n) return;
	const each = toDouble(state.properties.get("WITNESS_127_PAY_PER_BLOCK")) / toDouble(sum);
	for (const witness of list)
		payWitness(state, witness.address, fromDouble(toDouble(witness.voteCount) * each));
}

/** Splits a reward between a witness and its voters. */
function payWitness(state: StateView, witness: Uint8Array, amount: bigint): void {
	const cycle = state.properties.get("CURRENT_CYCLE_NUMBER");
	const percent = cycles.cycleBrokerage(state, cycle, witness);
	const cut = fromDouble((percent / 100) * toDouble(amount));
	cycles.addCycleReward(state, cycle, witness, amount - cut);
	addAllowance(state, witness, cut);
}

/** Standby pay of the old rules, at a maintenance with votes (sheet 02 §6.4). */
export function payStandbyAtMaintenance(state: StateView): void {
	const list = witnessesByVotes(state).slice(0, STANDBY_COUNT);
	const sum = wrap(list.reduce((total, witness) => total + witness.voteCount, 0n));
	if (sum <= 0n) return;
	const each = toDouble(state.properties.get("WITNESS_STANDBY_ALLOWANCE")) / toDouble(sum);
	for (const witness of list) {
		addAllowance(state, witness.address, fromDouble(toDouble(witness.voteCount) * each));
	}
}

/** Accumulates the reward per vote of the cycle that ends, for every witness. */
export function accumulateVi(state: StateView): void {
	const { properties } = state;
	const cycle = properties.get("CURRENT_CYCLE_NUMBER");
	for (const witness of state.witness.values()) {
		const previous = cycles.cycleVi(state, cycle - 1n, witness.address);
		const reward = cycles.cycleReward(state, cycle, witness.address);
		const added = reward === 0n || witness.voteCount === 0n ? 0n : (reward * VI_SCALE) / witness.voteCount;
		const vi = previous + added;
		if (vi !== 0n || added !== 0n) cycles.setCycleVi(state, cycle, witness.address, vi);
	}
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
	const votes = (state.account.get(address) as Readonly<Account>).votes;
	if (votes.length === 0) {
		cycles.setBeginCycle(state, address, current + 1n);
		return;
	}
	if (begin < current) addAllowance(state, address, computeReward(state, begin, current, votes));
	cycles.setBeginCycle(state, address, current);
	cycles.setEndCycle(state, address, current + 1n);
	cycles.setAccountVote(state, current, address, state.account.get(address) as Readonly<Account>);
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
