/** Whether a block stands where the schedule allows it (protocol/consensus §1.4). */

import type { SignedBlock } from "../../protocol/block.js";
import { equalBytes } from "../../protocol/bytes.js";
import { SLOT_MS } from "../../protocol/slot.js";
import type { DevelopmentSchedule } from "../rules/chain-rules.js";
import type { StateView } from "../state/view.js";
import { absoluteSlot, activeWitnesses, type ScheduleHead, scheduledWitness, slotOf } from "./slots.js";

/**
 * Checks a block's time and witness against the head on which it would be applied.
 *
 * The gap to the head has no upper bound; before CONSENSUS_LOGIC_OPTIMIZATION any time inside a slot is good, and a
 * time inside the slots skipped after a maintenance block belongs to the head's own witness.
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

/** The part of the check that needs no list of witnesses: the block's slot comes after its parent's. */
export function followsInTime(state: StateView, block: SignedBlock, head?: ScheduleHead): boolean {
	const { properties } = state;
	const strict = properties.on("CONSENSUS_LOGIC_OPTIMIZATION");
	const time = block.timestampMs;
	if (strict && time % SLOT_MS !== 0n) return false;
	const headTime = head?.timestampMs ?? properties.headTimestampMs;
	if (absoluteSlot(state, time) <= absoluteSlot(state, headTime)) return false;
	return !(strict && slotOf(state, time, head) === 0n);
}

/** On a development chain time must only go on, and the producer must be one of the node's own. */
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
