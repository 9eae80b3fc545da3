/** Delegation records between two accounts (protocol/staking §5.1). */

import { concatBytes } from "../../protocol/bytes.js";
import { wrap } from "../../protocol/int64.js";
import { DelegatedResource } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";
import type { Resource } from "./window.js";

const UNLOCKED = Uint8Array.of(1);
const LOCKED = Uint8Array.of(2);

/** Key of a pair's Stake 1.0 record. */
export function delegationKeyV1(from: Uint8Array, to: Uint8Array): Uint8Array {
	return concatBytes(from, to);
}

/** Key of a pair's Stake 2.0 record. */
export function delegationKeyV2(from: Uint8Array, to: Uint8Array, locked: boolean): Uint8Array {
	return concatBytes(locked ? LOCKED : UNLOCKED, from, to);
}

/** Delegated coins of a resource, in sun. */
export function delegatedAmount(record: Readonly<DelegatedResource>, resource: Resource): bigint {
	return record[`frozen_balance_for_${resource}`];
}

/** When a resource of a record can be reclaimed, in milliseconds; 0: at any time. */
export function delegationExpiryMs(record: Readonly<DelegatedResource>, resource: Resource): bigint {
	return record[`expire_time_for_${resource}`];
}

/** Adds coins to a resource of a record that the caller writes; the new expiry applies to the total. */
export function addDelegated(
	record: DelegatedResource,
	resource: Resource,
	deltaSun: bigint,
	expireMs: bigint,
): void {
	record[`frozen_balance_for_${resource}`] = wrap(delegatedAmount(record, resource) + deltaSun);
	record[`expire_time_for_${resource}`] = expireMs;
}

/** Whether a record holds no coins. */
export function isSpent(record: Readonly<DelegatedResource>): boolean {
	return record.frozen_balance_for_bandwidth === 0n && record.frozen_balance_for_energy === 0n;
}

/** A mutable record of a pair: a copy of the stored one, or a new one. */
export function editDelegation(
	state: StateView,
	key: Uint8Array,
	from: Uint8Array,
	to: Uint8Array,
): DelegatedResource {
	const stored = state.delegatedResource.get(key);
	return stored ? DelegatedResource.copy(stored) : DelegatedResource.create({ from, to });
}

/**
 * Moves expired resources of a pair from its locked to its unlocked record. A resource that was never locked
 * counts as expired, so an empty unlocked record may be written.
 */
export function unlockExpired(state: StateView, from: Uint8Array, to: Uint8Array, nowMs: bigint): void {
	const lockedKey = delegationKeyV2(from, to, true);
	const stored = state.delegatedResource.get(lockedKey);
	if (!stored) return;
	const expired = (["energy", "bandwidth"] as const).filter(
		(resource) => delegationExpiryMs(stored, resource) < nowMs,
	);
	if (expired.length === 0) return;
	const locked = DelegatedResource.copy(stored);
	const unlockedKey = delegationKeyV2(from, to, false);
	const unlocked = editDelegation(state, unlockedKey, from, to);
	for (const resource of expired) {
		const amount = delegatedAmount(locked, resource);
		addDelegated(unlocked, resource, amount, 0n);
		addDelegated(locked, resource, -amount, 0n);
	}
	if (isSpent(locked)) state.delegatedResource.delete(lockedKey);
	else state.delegatedResource.put(lockedKey, locked);
	state.delegatedResource.put(unlockedKey, unlocked);
}
