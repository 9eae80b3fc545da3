/** API queries of stakes and delegations (protocol/staking §§8.3 and 8.4). Amounts in sun; read-only. */

import { maxInt, SUN_PER_COIN } from "../../protocol/int64.js";
import type { Account, DelegatedResource } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { StateView } from "../state/view.js";
import { delegableStake, delegationSize } from "./delegable.js";
import { delegationKeyV1, delegationKeyV2, isSpent } from "./delegated-resource.js";
import { MAX_UNSTAKING_ENTRIES, resourceOf, splitUnstaking } from "./stake.js";

/**
 * The most an account could delegate now, reserving the delegation's own bytes; 0 if below one coin.
 * @param code of the resource; 0 for codes that can't be delegated
 * @param scheme of the delegation's signature, if it is a post-quantum one
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

/** How many more unstakes an account can start before a pending one expires. */
export function availableUnfreezeCount(state: StateView, account: Readonly<Account>): bigint {
	const { waiting } = splitUnstaking(account.unfrozenV2, state.properties.headTimestampMs);
	return BigInt(MAX_UNSTAKING_ENTRIES - waiting.length);
}

/** Unstaked coins that an account can withdraw at a time in milliseconds; 0 means now. */
export function withdrawableUnfreeze(state: StateView, account: Readonly<Account>, timeMs: bigint): bigint {
	const time = timeMs === 0n ? state.properties.headTimestampMs : timeMs;
	return splitUnstaking(account.unfrozenV2, time).expiredSun;
}

/** A pair's Stake 1.0 record, if there is one. */
export function delegationsV1(
	state: StateView,
	from: Uint8Array,
	to: Uint8Array,
): readonly Readonly<DelegatedResource>[] {
	const record = state.delegatedResource.get(delegationKeyV1(from, to));
	return record ? [record] : [];
}

/** A pair's nonempty Stake 2.0 records, unlocked before locked. */
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

/** Whether a record has neither coins nor a lock left. */
function isEmpty(record: Readonly<DelegatedResource>): boolean {
	return isSpent(record) && record.expire_time_for_bandwidth === 0n && record.expire_time_for_energy === 0n;
}
