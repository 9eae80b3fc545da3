/** Block rewards, and the reward per vote of a cycle (protocol/consensus §7, protocol/staking §7.5). Amounts in sun. */

import { fromDouble, toDouble, wrap } from "../../protocol/int64.js";
import * as cycles from "../resources/delegation-store.js";
import { VI_SCALE } from "../resources/old-reward-vi.js";
import { addAllowance } from "../resources/vote-rewards.js";
import type { StateView } from "../state/view.js";
import { witnessesByVotes } from "./schedule.js";

/** Number of witnesses that earn standby pay. */
export const STANDBY_COUNT = 127;

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

/** Standby pay under the old rules, at a maintenance with votes (protocol/consensus §7.2). */
export function payStandbyAtMaintenance(state: StateView): void {
	const list = witnessesByVotes(state).slice(0, STANDBY_COUNT);
	const sum = wrap(list.reduce((total, witness) => total + witness.voteCount, 0n));
	if (sum <= 0n) return;
	const each = toDouble(state.properties.get("WITNESS_STANDBY_ALLOWANCE")) / toDouble(sum);
	for (const witness of list) {
		addAllowance(state, witness.address, fromDouble(toDouble(witness.voteCount) * each));
	}
}

/** Accumulates the ending cycle's reward per vote, for every witness. */
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
