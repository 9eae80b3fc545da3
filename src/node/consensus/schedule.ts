/** Whether a block stands where the schedule allows it (sheet 02 §5.4). */

import type { SignedBlock } from "../../protocol/block.js";
import { equalBytes } from "../../protocol/bytes.js";
import { SLOT_MS } from "../../protocol/slot.js";
import type { DevelopmentSchedule } from "../rules/chain-rules.js";
import type { StateView } from "../state/view.js";
import { absoluteSlot, scheduledWitness, slotOf } from "./slots.js";

/**
 * Checks a block's time and witness against the head on which it would be applied.
 *
 * The gap to the head has no upper bound; before CONSENSUS_LOGIC_OPTIMIZATION any time inside a slot is good, and a
 * time inside the slots skipped after a maintenance block belongs to the head's own witness.
 */
export function checkSchedule(
	state: StateView,
	block: SignedBlock,
	development?: DevelopmentSchedule,
): boolean {
	const { properties } = state;
	if (properties.headNumber === 0n) return true;
	if (development) return fitsDevelopment(state, block, development);
	const strict = properties.on("CONSENSUS_LOGIC_OPTIMIZATION");
	const time = block.timestampMs;
	if (strict && time % SLOT_MS !== 0n) return false;
	if (absoluteSlot(state, time) <= absoluteSlot(state, properties.headTimestampMs)) return false;
	const k = slotOf(state, time);
	if (strict && k === 0n) return false;
	return equalBytes(block.witness, scheduledWitness(state, k));
}

/** On a development chain time must only go on, and the producer must be one of the node's own. */
function fitsDevelopment(state: StateView, block: SignedBlock, development: DevelopmentSchedule): boolean {
	if (block.timestampMs < state.properties.headTimestampMs + development.slotMs) return false;
	return development.producers.some((producer) => equalBytes(producer, block.witness));
}
