/** End of a cycle: counts votes and elects the active witnesses (protocol/consensus §4.1). */

import type { SignedBlock } from "../../protocol/block.js";
import { fromKey, toKey } from "../../protocol/bytes.js";
import { byteStringHash, hashOrder } from "../../protocol/hash-order.js";
import { MAX_INT64, wrap } from "../../protocol/int64.js";
import type { Vote, Votes } from "../../protocol/messages.js";
import { brokerageSetting, setCycleBrokerage, setCycleVotes } from "../resources/delegation-store.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { keysInStoreOrder } from "../state/store-order.js";
import type { StateView } from "../state/view.js";
import { accumulateVi, payStandbyAtMaintenance } from "./rewards.js";
import { witnessesByVotes } from "./schedule.js";
import { activeWitnesses, setActiveWitnesses } from "./slots.js";
import { changeWitness } from "./statistics.js";

/** Length of the active list, given enough witnesses. */
export const MAX_ACTIVE_WITNESSES = 27;

/** Value of REMOVE_THE_POWER_OF_THE_GR once it has been carried out. */
export const POWER_REMOVED = -1n;

/** Whether a block at this time ends the cycle. */
export function maintenanceDue(state: StateView, blockTimeMs: bigint): boolean {
	return state.properties.get("NEXT_MAINTENANCE_TIME") <= blockTimeMs;
}

/**
 * Runs maintenance if it is due at this block, and records in `state_flag` whether it was. Called for every
 * block, after its statistics and after proposals; the first block only sets the next maintenance time.
 */
export function runMaintenance(state: StateView, rules: ChainRules, block: SignedBlock): void {
	const { properties } = state;
	const due = maintenanceDue(state, block.timestampMs);
	if (due) {
		if (block.number !== 1n) endCycle(state, rules);
		scheduleNext(state, block.timestampMs);
	}
	properties.set("state_flag", due ? 1 : 0);
}

function endCycle(state: StateView, rules: ChainRules): void {
	const delegating = state.properties.on("CHANGE_DELEGATION");
	removeGenesisPower(state, rules);
	if (newRewardAlgorithmOn(state)) accumulateVi(state);
	const changes = countVotes(state);
	if (changes.size > 0) {
		applyVotes(state, changes);
		const before = activeWitnesses(state);
		const after = witnessesByVotes(state)
			.slice(0, MAX_ACTIVE_WITNESSES)
			.map((witness) => witness.address);
		setActiveWitnesses(state, after);
		if (!delegating) payStandbyAtMaintenance(state);
		markActive(state, before, after);
	}
	if (delegating) beginCycle(state);
}

/** Removes the votes that genesis gave its witnesses, once, when the parameter asks for it. */
function removeGenesisPower(state: StateView, rules: ChainRules): void {
	if (!state.properties.on("REMOVE_THE_POWER_OF_THE_GR")) return;
	for (const { address, votes } of rules.genesisWitnesses) {
		changeWitness(state, address, (witness) => {
			witness.voteCount = wrap(witness.voteCount - votes);
		});
	}
	state.properties.set("REMOVE_THE_POWER_OF_THE_GR", POWER_REMOVED);
}

/** Whether rewards accumulate per vote: an effective cycle has been set (protocol/staking §7). */
function newRewardAlgorithmOn(state: StateView): boolean {
	return state.properties.get("NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE") !== MAX_INT64;
}

/** Sums up the period's vote records into one change per witness, and deletes them. */
function countVotes(state: StateView): ReadonlyMap<string, bigint> {
	const changes = new Map<string, bigint>();
	const add = (votes: readonly Readonly<Vote>[], sign: 1n | -1n) => {
		for (const vote of votes) {
			const key = toKey(vote.vote_address);
			changes.set(key, wrap((changes.get(key) ?? 0n) + sign * vote.vote_count));
		}
	};
	for (const voter of keysInStoreOrder(state.votes)) {
		const record = state.votes.get(voter) as Readonly<Votes>;
		add(record.old_votes, -1n);
		add(record.new_votes, 1n);
		state.votes.delete(voter);
	}
	return changes;
}

function applyVotes(state: StateView, changes: ReadonlyMap<string, bigint>): void {
	// The write order is visible where a node lists its witnesses: the reference sums up in a hash map.
	for (const key of hashOrder([...changes.keys()], byteStringHash)) {
		const change = changes.get(key) as bigint;
		const address = fromKey(key);
		if (!state.account.has(address)) continue;
		changeWitness(state, address, (witness) => {
			witness.voteCount = wrap(witness.voteCount + change);
		});
	}
}

/** Keeps `isJobs` true for exactly the active witnesses; their order doesn't matter here. */
function markActive(state: StateView, before: readonly Uint8Array[], after: readonly Uint8Array[]): void {
	const sorted = (list: readonly Uint8Array[]) => list.map(toKey).sort().join();
	if (sorted(before) === sorted(after)) return;
	for (const address of before) {
		changeWitness(state, address, (witness) => {
			witness.isJobs = false;
		});
	}
	for (const address of after) {
		changeWitness(state, address, (witness) => {
			witness.isJobs = true;
		});
	}
}

/** Starts the next reward cycle, fixing every witness's brokerage and votes for it. */
function beginCycle(state: StateView): void {
	const { properties } = state;
	const cycle = properties.get("CURRENT_CYCLE_NUMBER") + 1n;
	properties.set("CURRENT_CYCLE_NUMBER", cycle);
	for (const witness of state.witness.values()) {
		setCycleBrokerage(state, cycle, witness.address, brokerageSetting(state, witness.address));
		setCycleVotes(state, cycle, witness.address, witness.voteCount);
	}
}

/** Moves the next maintenance time past the block, by whole intervals. */
function scheduleNext(state: StateView, blockTimeMs: bigint): void {
	const { properties } = state;
	const interval = properties.get("MAINTENANCE_TIME_INTERVAL");
	const due = properties.get("NEXT_MAINTENANCE_TIME");
	properties.set("NEXT_MAINTENANCE_TIME", due + ((blockTimeMs - due) / interval + 1n) * interval);
}
