/** What the APIs tell about stakes and delegations (protocol/staking §§8.3 and 8.4). Amounts in sun; nothing is written. */

import { maxInt, SUN_PER_COIN } from "../../protocol/int64.js";
import type { Account, DelegatedResource } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { StateView } from "../state/view.js";
import { delegableStake, delegationSize } from "./delegable.js";
import { delegationKeyV1, delegationKeyV2, isSpent } from "./delegated-resource.js";
import { MAX_UNSTAKING_ENTRIES, resourceOf, splitUnstaking } from "./stake.js";

/**
 * The most that an account could delegate now, the bytes of the delegation set aside; below one coin it is 0.
 * @param code of the resource; codes that can't be delegated give 0
 * @param scheme of the signature that the delegation will have, where it is a post-quantum one
 */
export function maxDelegable(
	state: StateView,
	account: Readonly<Account>,
	code: number,
	scheme?: PostQuantumScheme,
): bigint {
	const resource = resourceOf(code);
	if (!resource) return 0n;
	const { properties } = state;
	const ownBytes = resource === "bandwidth" ? delegationSize(properties, account, scheme?.entryBytes) : 0n;
	const amount = maxInt(0n, delegableStake(properties, account, resource, ownBytes));
	return amount < SUN_PER_COIN ? 0n : amount;
}

/** How many more amounts an account may unstake before one that waits is over. */
export function availableUnfreezeCount(state: StateView, account: Readonly<Account>): bigint {
	const { waiting } = splitUnstaking(account.unfrozenV2, state.properties.headTimestampMs);
	return BigInt(MAX_UNSTAKING_ENTRIES - waiting.length);
}

/** Unstaked coins that an account could withdraw at a time in milliseconds; 0 stands for now. */
export function withdrawableUnfreeze(state: StateView, account: Readonly<Account>, timeMs: bigint): bigint {
	const time = timeMs === 0n ? state.properties.headTimestampMs : timeMs;
	return splitUnstaking(account.unfrozenV2, time).expiredSun;
}

/** The record of generation 1 of a pair, if there is one. */
export function delegationsV1(
	state: StateView,
	from: Uint8Array,
	to: Uint8Array,
): readonly Readonly<DelegatedResource>[] {
	const record = state.delegatedResource.get(delegationKeyV1(from, to));
	return record ? [record] : [];
}

/** The records of generation 2 of a pair, unlocked before locked; those that hold nothing are left out. */
export function delegationsV2(
	state: StateView,
	from: Uint8Array,
	to: Uint8Array,
): readonly Readonly<DelegatedResource>[] {
	return [false, true].flatMap((locked) => {
		const record = state.delegatedResource.get(delegationKeyV2(from, to, locked));
		return record && !isEmpty(record) ? [record] : [];
	});
}

/** Whether neither coins nor a lock are left of a record. */
function isEmpty(record: Readonly<DelegatedResource>): boolean {
	return isSpent(record) && record.expire_time_for_bandwidth === 0n && record.expire_time_for_energy === 0n;
}
