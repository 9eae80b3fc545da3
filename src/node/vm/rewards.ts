/** Vote rewards of contracts (sheet 05 §12.6): the accumulated rewards only, under the machine's own switch. */

import { wrap } from "../../protocol/int64.js";
import type { Vote } from "../../protocol/messages.js";
import * as cycles from "../resources/delegation-store.js";
import { addAllowance } from "../resources/vote-rewards.js";
import type { StateView } from "../state/view.js";
import type { Gates } from "./gates.js";

/** Rewards per vote are accumulated in 10^-18 sun. */
const VI_SCALE = 10n ** 18n;

/** The reward of votes over the cycles [begin, end). */
function accumulatedReward(
	state: StateView,
	begin: bigint,
	end: bigint,
	votes: readonly Readonly<Vote>[],
): bigint {
	if (begin >= end) return 0n;
	let total = 0n;
	for (const vote of votes) {
		const witness = vote.vote_address;
		const gained = cycles.cycleVi(state, end - 1n, witness) - cycles.cycleVi(state, begin - 1n, witness);
		if (gained > 0n) total += BigInt.asIntN(64, (gained * vote.vote_count) / VI_SCALE);
	}
	return wrap(total);
}

/** Settles the rewards of a contract into its allowance. */
export function settleReward(state: StateView, gates: Gates, address: Uint8Array): void {
	if (!gates.vote) return;
	const current = state.properties.get("CURRENT_CYCLE_NUMBER");
	let begin = cycles.beginCycle(state, address);
	const end = cycles.endCycle(state, address);
	const account = state.account.get(address);
	if (begin > current || !account) return;
	if (begin === current && cycles.accountVote(state, begin, address)) return;
	if (begin + 1n === end && begin < current) {
		const snapshot = cycles.accountVote(state, begin, address);
		if (snapshot) addAllowance(state, address, accumulatedReward(state, begin, end, snapshot.votes));
		begin += 1n;
	}
	if (account.votes.length === 0) {
		cycles.setBeginCycle(state, address, current + 1n);
		return;
	}
	if (begin < current) {
		addAllowance(state, address, accumulatedReward(state, begin, current, account.votes));
	}
	cycles.setBeginCycle(state, address, current);
	cycles.setEndCycle(state, address, current + 1n);
	// The snapshot is of the record as it was read: without the rewards just added.
	cycles.setAccountVote(state, current, address, account);
}

/** What {@link settleReward} would make of a contract's allowance; writes nothing. */
export function pendingReward(state: StateView, gates: Gates, address: Uint8Array): bigint {
	const account = state.account.get(address);
	if (!gates.vote || !account) return 0n;
	const current = state.properties.get("CURRENT_CYCLE_NUMBER");
	let begin = cycles.beginCycle(state, address);
	const end = cycles.endCycle(state, address);
	if (begin > current) return account.allowance;
	if (begin === current && cycles.accountVote(state, begin, address)) return account.allowance;
	let reward = account.allowance;
	if (begin + 1n === end && begin < current) {
		const snapshot = cycles.accountVote(state, begin, address);
		if (snapshot) reward += accumulatedReward(state, begin, end, snapshot.votes);
		begin += 1n;
	}
	if (begin < current) reward += accumulatedReward(state, begin, current, account.votes);
	return wrap(reward);
}
