/** Updates statistics about a block's producer and the slots missed before it (protocol/consensus §2). */

import type { SignedBlock } from "../../protocol/block.js";
import { Witness } from "../../protocol/messages.js";
import { solidifiedPosition } from "../../protocol/timing.js";
import type { DevelopmentSchedule } from "../rules/chain-rules.js";
import { RuntimeRuleError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { absoluteSlot, activeWitnesses, scheduledWitness, slotOf } from "./slots.js";

/** Number of slots whose fill status the chain remembers. */
const FILLED_SLOTS = 128;

/** Replaces a witness's record by a changed copy; does nothing if there is no record. */
export function changeWitness(
	state: StateView,
	address: Uint8Array,
	change: (witness: Witness) => void,
): void {
	const stored = state.witness.get(address);
	if (!stored) return;
	const witness = Witness.copy(stored);
	change(witness);
	state.witness.put(address, witness);
}

/**
 * Credits a block to its producer and missed slots to their witnesses. Runs before maintenance: it reads the
 * parent's head values and the active list that scheduled the block.
 *
 * @throws {RuntimeRuleError} if the producer is not a witness, which only a block right after genesis can bring about
 */
export function applyStatistics(
	state: StateView,
	block: SignedBlock,
	development?: DevelopmentSchedule,
): void {
	if (!state.witness.has(block.witness)) {
		throw new RuntimeRuleError("NullPointerException", "the block's witness has no record");
	}
	changeWitness(state, block.witness, (witness) => {
		witness.totalProduced += 1n;
		witness.latestBlockNum = block.number;
		witness.latestSlotNum = absoluteSlot(state, block.timestampMs);
	});
	// A development chain has no slots to miss.
	const slot = block.number === 1n || development ? 1n : slotOf(state, block.timestampMs);
	const missed = slot > 1n ? slot - 1n : 0n;
	countMissed(state, missed);
	fillSlots(state, missed);
}

function countMissed(state: StateView, missed: bigint): void {
	if (missed === 0n) return;
	const active = activeWitnesses(state);
	const length = BigInt(active.length);
	// Compute the last slot first: times that overflow the reference's counter are refused.
	scheduledWitness(state, missed, active);
	// Every witness has one slot per round; the partial last round is counted slot by slot.
	const counts = new Map(active.map((address) => [address, missed / length]));
	for (let k = 1n; k <= missed % length; k++) {
		const witness = scheduledWitness(state, k, active);
		counts.set(witness, (counts.get(witness) ?? 0n) + 1n);
	}
	for (const [address, count] of counts) {
		if (count === 0n) continue;
		changeWitness(state, address, (witness) => {
			witness.totalMissed += count;
		});
	}
}

/** Advances the ring by the missed slots and the filled one. */
function fillSlots(state: StateView, missed: bigint): void {
	const { properties } = state;
	const ring = properties.get("BLOCK_FILLED_SLOTS").split("");
	const at = properties.get("BLOCK_FILLED_SLOTS_INDEX");
	const end = Number((BigInt(at) + missed) % BigInt(FILLED_SLOTS));
	if (missed >= BigInt(FILLED_SLOTS)) ring.fill("0");
	else for (let i = 0; i < Number(missed); i++) ring[(at + i) % FILLED_SLOTS] = "0";
	ring[end] = "1";
	properties.set("BLOCK_FILLED_SLOTS", ring.join(""));
	properties.set("BLOCK_FILLED_SLOTS_INDEX", (end + 1) % FILLED_SLOTS);
}

/** Share of the last 128 slots that have a block, in percent, truncated. */
export function participationPercent(state: StateView): number {
	const filled = state.properties.get("BLOCK_FILLED_SLOTS").split("1").length - 1;
	return Math.trunc((100 * filled) / FILLED_SLOTS);
}

/**
 * Advances the solidified number, up to which blocks are final: the greatest height on which enough active
 * witnesses have built. Runs after maintenance, with the new active list; never decreases.
 */
export function updateSolidified(
	state: StateView,
	block: SignedBlock,
	development?: DevelopmentSchedule,
): void {
	if (development) {
		const solid = block.number - development.solidLag;
		state.properties.set("LATEST_SOLIDIFIED_BLOCK_NUM", solid > 0n ? solid : 0n);
		return;
	}
	const heights = activeWitnesses(state)
		.map((address) => state.witness.get(address)?.latestBlockNum ?? 0n)
		.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	const solidified = heights[solidifiedPosition(heights.length)];
	if (solidified === undefined || solidified < state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM")) return;
	state.properties.set("LATEST_SOLIDIFIED_BLOCK_NUM", solidified);
}
