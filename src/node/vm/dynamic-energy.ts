/** Dynamic energy: heavily used contracts cost more (protocol/machine §15, protocol/resources §6). */

import { fromDouble, maxInt, minInt, toDouble, wrap } from "../../protocol/int64.js";
import { ContractState } from "../../protocol/messages.js";
import { strictPow } from "../exchange/strict-pow.js";
import type { Properties } from "../state/properties.js";
import type { StateView } from "../state/view.js";
import type { Frame } from "./frame.js";
import type { Machine } from "./machine.js";

// Penalty of dynamic energy on the cost of an operation (protocol/machine §15).

/** Neutral factor, in ten-thousandths. */
export const NO_FACTOR = 10_000;

/** @param factor in ten-thousandths */
export function penaltyOf(cost: number, factor: number): number {
	if (factor <= NO_FACTOR) return 0;
	return Math.max(0, Math.floor((cost * factor) / NO_FACTOR) - cost);
}

/** Stored factors are in ten-thousandths above this. */
const UNIT = 10_000n;

/** Below this logarithm, a power of the decay reduces any factor to nothing. */
const SMALLEST_LOG = -600;

/** A contract's usage and factor in the current cycle; the stored record may be of an earlier cycle. */
export function currentContractState(state: StateView, address: Uint8Array): Readonly<ContractState> {
	const cycle = state.properties.get("CURRENT_CYCLE_NUMBER");
	const stored = state.contractState.get(address);
	return stored ? catchUp(state.properties, stored, cycle) : ContractState.create({ update_cycle: cycle });
}

function catchUp(
	properties: Properties,
	stored: Readonly<ContractState>,
	cycle: bigint,
): Readonly<ContractState> {
	const last = stored.update_cycle;
	if (last === cycle) return stored;
	if (last > cycle || last === 0n) return ContractState.create({ update_cycle: cycle });
	const increase = toDouble(properties.get("DYNAMIC_ENERGY_INCREASE_FACTOR"));
	const next = ContractState.copy(stored);
	if (stored.energy_usage > properties.get("DYNAMIC_ENERGY_THRESHOLD")) {
		const grown = fromDouble(toDouble(stored.energy_factor + UNIT) * (1 + increase / 10_000)) - UNIT;
		next.energy_factor = minInt(properties.get("DYNAMIC_ENERGY_MAX_FACTOR"), grown);
		next.energy_usage = 0n;
		next.update_cycle = last + 1n;
	}
	const idle = cycle - next.update_cycle;
	if (idle > 0n) {
		const decay = power(1 - increase / 4 / 10_000, Number(idle));
		next.energy_factor = maxInt(0n, fromDouble(toDouble(next.energy_factor + UNIT) * decay) - UNIT);
		next.energy_usage = 0n;
		next.update_cycle = cycle;
	}
	return next;
}

/** fdlibm's `pow` for integer exponents; it special-cases the first two. */
function power(base: number, exponent: number): number {
	if (base === 1 || exponent === 0) return 1;
	if (exponent === 1) return base;
	if (exponent === 2) return base * base;
	return exponent * Math.log(base) < SMALLEST_LOG ? 0 : strictPow(base, exponent);
}

/** Brings the contract's record up to date when a frame begins. @returns the factor, in ten-thousandths */
export function enterFrame({ state }: Machine, address: Uint8Array): number {
	const current = currentContractState(state, address);
	if (state.contractState.get(address) !== current) state.contractState.put(address, current);
	return Number(current.energy_factor + UNIT);
}

/** Adds the energy of a frame's own operations, without penalties, to its contract's usage. */
export function chargeUsage(frame: Frame): void {
	const { machine, context } = frame;
	const spent = BigInt(context.energy) - BigInt(frame.remaining) - frame.spentOutside - BigInt(frame.penalty);
	const copy = ContractState.copy(currentContractState(machine.state, context.address));
	copy.energy_usage = wrap(copy.energy_usage + spent);
	machine.state.contractState.put(context.address, copy);
}
