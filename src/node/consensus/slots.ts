/** Slot arithmetic: which time belongs to which witness (protocol/consensus §1.1). Times in milliseconds. */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { toKey } from "../../protocol/bytes.js";
import { SLOT_MS } from "../../protocol/timing.js";
import type { DevelopmentSchedule } from "../rules/chain-rules.js";
import { RuntimeRuleError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";

/** Slots left empty after a maintenance block. */
const MAINTENANCE_SKIP_SLOTS = 2n;

const ACTIVE_KEY = Buffer.from("active_witnesses", "latin1");

/** The active witnesses, in schedule order. */
export function activeWitnesses(state: StateView): Uint8Array[] {
	const bytes = state.witnessSchedule.get(ACTIVE_KEY) ?? new Uint8Array(0);
	const list: Uint8Array[] = [];
	for (let at = 0; at + ADDRESS_LENGTH <= bytes.length; at += ADDRESS_LENGTH) {
		list.push(bytes.subarray(at, at + ADDRESS_LENGTH));
	}
	return list;
}

export function setActiveWitnesses(state: StateView, addresses: readonly Uint8Array[]): void {
	state.witnessSchedule.put(ACTIVE_KEY, Buffer.concat(addresses));
}

/** Position of a witness in the active list, -1 if it isn't there. */
export function activePosition(active: readonly Uint8Array[], address: Uint8Array): number {
	const key = toKey(address);
	return active.findIndex((candidate) => toKey(candidate) === key);
}

/** The slot since genesis that a time falls into. */
export function absoluteSlot(state: StateView, timeMs: bigint): bigint {
	return (timeMs - state.properties.genesisTimestampMs) / SLOT_MS;
}

/** The block from which slots are counted; by default the state's own head. */
export interface ScheduleHead {
	readonly number: bigint;
	readonly timestampMs: bigint;
	/** Whether maintenance ran in it: the next slots stay empty. */
	readonly wasMaintenance: boolean;
}

/** The head recorded in a state. */
function ownHead({ properties }: StateView): ScheduleHead {
	return {
		number: properties.headNumber,
		timestampMs: properties.headTimestampMs,
		wasMaintenance: properties.get("state_flag") === 1,
	};
}

/** Time of the k-th slot after the head, k >= 1. */
export function slotTimeMs(state: StateView, k: bigint, head: ScheduleHead = ownHead(state)): bigint {
	const genesis = state.properties.genesisTimestampMs;
	if (head.number === 0n) return genesis + k * SLOT_MS;
	const slots = head.wasMaintenance ? k + MAINTENANCE_SKIP_SLOTS : k;
	return head.timestampMs - ((head.timestampMs - genesis) % SLOT_MS) + slots * SLOT_MS;
}

/** The slot after the head that a time falls into; 0 before the first. */
export function slotOf(state: StateView, timeMs: bigint, head?: ScheduleHead): bigint {
	const first = slotTimeMs(state, 1n, head);
	return timeMs < first ? 0n : (timeMs - first) / SLOT_MS + 1n;
}

/** The witness of the k-th slot after the head. @throws {RuntimeRuleError} if the slot's number is negative */
export function scheduledWitness(
	state: StateView,
	k: bigint,
	active: readonly Uint8Array[] = activeWitnesses(state),
	head?: ScheduleHead,
): Uint8Array {
	const headTime = head?.timestampMs ?? state.properties.headTimestampMs;
	// The reference counts in 32 bits: a slot thousands of years ahead is negative.
	const slot = BigInt.asIntN(32, absoluteSlot(state, headTime) + k);
	if (slot < 0n) throw new RuntimeRuleError("RuntimeException", "current slot should be positive.");
	return active[Number(slot % BigInt(active.length))] as Uint8Array;
}

/** The earliest time of the next block; a transaction must not expire before it (protocol/blocks §3.5). */
export function nextSlotTimeMs(state: StateView, development?: DevelopmentSchedule): bigint {
	const { properties } = state;
	if (development) return properties.headTimestampMs + development.slotMs;
	const skipped = properties.get("state_flag") === 1 ? MAINTENANCE_SKIP_SLOTS : 0n;
	return properties.headTimestampMs + (1n + skipped) * SLOT_MS;
}
