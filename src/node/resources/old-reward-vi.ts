/**
 * Accumulated reward per vote for cycles that stored none (protocol/staking §7.4). Scaled by 10^18.
 *
 * PERF: a sum covers all cycles since the first; sums are cached and extended, else settling one old account
 * would read the store thousands of times.
 */

import { be64, equalBytes, toKey } from "../../protocol/bytes.js";
import type { StateView } from "../state/view.js";
import { cycleReward, cycleVotes } from "./delegation-store.js";

/** Scale of accumulated rewards per vote: 10^-18 sun. */
export const VI_SCALE = 10n ** 18n;

/** Sums for one view of a chain; valid while the block at which they were computed is in the chain. */
interface Sums {
	readonly number: bigint;
	readonly blockId: Uint8Array | undefined;
	/** By witness: index c has the sum over cycles 1 to c. */
	readonly byWitness: Map<string, bigint[]>;
}

const known = new WeakMap<StateView, Sums>();

/**
 * The sum over cycles 1 to `cycle`; 0 before cycle 1. Cycle 0 earns nothing in this form.
 * @param cycle must have ended, so that its rewards are final
 */
export function oldRewardVi(state: StateView, cycle: bigint, witness: Uint8Array): bigint {
	if (cycle < 1n) return 0n;
	const { byWitness } = sumsOf(state);
	const key = toKey(witness);
	const sums = byWitness.get(key) ?? [0n];
	byWitness.set(key, sums);
	for (let next = sums.length; BigInt(next) <= cycle; next++) {
		sums.push((sums[next - 1] as bigint) + addedVi(state, BigInt(next), witness));
	}
	return sums[Number(cycle)] as bigint;
}

function addedVi(state: StateView, cycle: bigint, witness: Uint8Array): bigint {
	const reward = cycleReward(state, cycle, witness);
	// Unrecorded votes count as -1.
	const votes = cycleVotes(state, cycle, witness) ?? -1n;
	return reward === 0n || votes === 0n ? 0n : (reward * VI_SCALE) / votes;
}

function sumsOf(state: StateView): Sums {
	const sums = known.get(state);
	if (sums && sameBlock(state.blockIndex.get(be64(sums.number)), sums.blockId)) return sums;
	const number = state.properties.headNumber;
	const fresh = { number, blockId: state.blockIndex.get(be64(number)), byWitness: new Map() };
	known.set(state, fresh);
	return fresh;
}

function sameBlock(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
	return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}
