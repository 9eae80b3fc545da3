/** Whether the schedule allows a block at its time (protocol/consensus §1.4). */

import type { SignedBlock } from "../../protocol/block.js";
import { equalBytes } from "../../protocol/bytes.js";
import type { Witness } from "../../protocol/messages.js";
import { SLOT_MS } from "../../protocol/timing.js";
import type { DevelopmentSchedule } from "../rules/chain-rules.js";
import type { StateView } from "../state/view.js";
import { absoluteSlot, activeWitnesses, type ScheduleHead, scheduledWitness, slotOf } from "./slots.js";

/**
 * Checks a block's time and witness against the head it would be applied on.
 *
 * The gap to the head has no upper bound. Before CONSENSUS_LOGIC_OPTIMIZATION any time inside a slot is
 * valid, and a time inside the slots skipped after a maintenance block belongs to the head's own witness.
 *
 * @param head where it would stand: the state's own head, or a block above it whose witnesses the state knows
 */
export function checkSchedule(
	state: StateView,
	block: SignedBlock,
	development?: DevelopmentSchedule,
	head?: ScheduleHead,
): boolean {
	if ((head?.number ?? state.properties.headNumber) === 0n) return true;
	if (development) return fitsDevelopment(state, block, development, head);
	if (!followsInTime(state, block, head)) return false;
	const k = slotOf(state, block.timestampMs, head);
	return equalBytes(block.witness, scheduledWitness(state, k, activeWitnesses(state), head));
}

/** The part of the check that needs no witness list: the block's slot comes after its parent's. */
export function followsInTime(state: StateView, block: SignedBlock, head?: ScheduleHead): boolean {
	const { properties } = state;
	const strict = properties.on("CONSENSUS_LOGIC_OPTIMIZATION");
	const time = block.timestampMs;
	if (strict && time % SLOT_MS !== 0n) return false;
	const headTime = head?.timestampMs ?? properties.headTimestampMs;
	if (absoluteSlot(state, time) <= absoluteSlot(state, headTime)) return false;
	return !(strict && slotOf(state, time, head) === 0n);
}

/** On a development chain time only has to advance, and the producer must be one of the node's own witnesses. */
function fitsDevelopment(
	state: StateView,
	block: SignedBlock,
	development: DevelopmentSchedule,
	head?: ScheduleHead,
): boolean {
	const headTime = head?.timestampMs ?? state.properties.headTimestampMs;
	if (block.timestampMs < headTime + development.slotMs) return false;
	return development.producers.some((producer) => equalBytes(producer, block.witness));
}

// Witnesses ordered by votes, for the active list and the standby list (protocol/consensus §1.3).

/** The original tie-breaking hash: that of a byte string in the reference's runtime. */
function legacyHash(bytes: Uint8Array): number {
	let hash = bytes.length;
	for (const byte of bytes) hash = (Math.imul(hash, 31) + ((byte << 24) >> 24)) | 0;
	return hash === 0 ? 1 : hash;
}

/**
 * All witnesses, most votes first.
 * @param witnesses in the order of the state; absent: as the state has them
 */
export function witnessesByVotes(
	state: StateView,
	witnesses: Readonly<Witness>[] = state.witness.values(),
): Readonly<Witness>[] {
	const byText = state.properties.on("CONSENSUS_LOGIC_OPTIMIZATION");
	// Sorting is stable: ties keep descending address order.
	if (byText) witnesses.reverse();
	return witnesses.sort((a, b) => {
		if (a.voteCount !== b.voteCount) return a.voteCount > b.voteCount ? -1 : 1;
		return byText ? 0 : legacyHash(b.address) - legacyHash(a.address);
	});
}
