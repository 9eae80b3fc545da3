/** How much stake an account can still delegate (protocol/staking §5.3). Amounts in sun. */

import { fromDouble, maxInt, SUN_PER_COIN, toDouble, wrap } from "../../protocol/int64.js";
import { type Account, ResourceCode } from "../../protocol/messages.js";
import type { Properties } from "../state/properties.js";
import { codeOf, delegation, ownStakeV1, ownStakeV2, resourceTotals } from "./stake.js";
import {
	accountIncrease,
	type Resource,
	resourceUsage,
	unfreezeDelayOn,
	type WindowHolder,
} from "./window.js";

/** Default lock period of a delegation, in blocks. */
export const DEFAULT_LOCK_PERIOD = 86_400n;

/** Bytes of a delegation without its variable-length fields. */
const DELEGATION_BASE_SIZE = 275;

/** Whether locks may have a custom period. */
export function lockPeriodOn(properties: Properties): boolean {
	return properties.get("MAX_DELEGATE_LOCK_PERIOD") > DEFAULT_LOCK_PERIOD && unfreezeDelayOn(properties);
}

/**
 * Own Stake 2.0 stake that is not in use. Usage is attributed to Stake 1.0 and received delegations first.
 * Negative if more is used than staked.
 * @param upcomingBytes further bandwidth that the account is about to use
 */
export function delegableStake(
	properties: Properties,
	account: Readonly<Account>,
	resource: Resource,
	upcomingBytes = 0n,
): bigint {
	const { usage, lastSlot } = resourceUsage(account, resource);
	// The window moves with the usage; the account's own must not change.
	const { net_window_size, net_window_optimized, account_resource } = account;
	const scratch: WindowHolder = { net_window_size, net_window_optimized, account_resource };
	const present = accountIncrease(properties, scratch, resource, usage, 0n, lastSlot, properties.headSlot);
	const code = codeOf(resource);
	const used = usedStake(properties, resource, wrap(present + upcomingBytes));
	const others = wrap(
		ownStakeV1(account, code) +
			delegation(account, "acquired_delegated", "frozen", resource) +
			delegation(account, "acquired_delegated", "frozenV2", resource),
	);
	return wrap(ownStakeV2(account, code) - maxInt(0n, wrap(used - others)));
}

/** Stake occupied by a usage. */
export function usedStake(properties: Properties, resource: Resource, usage: bigint): bigint {
	const { limit, weight } = resourceTotals(properties, resource);
	const share = toDouble(weight) / toDouble(limit);
	return fromDouble(toDouble(wrap(usage * SUN_PER_COIN)) * share);
}

/** The network's estimate of a delegation's bytes if it delegates all bandwidth stake. */
export function delegationSize(
	properties: Properties,
	account: Readonly<Account>,
	postQuantumBytes = 0,
): bigint {
	const balance = ownStakeV2(account, ResourceCode.BANDWIDTH);
	const balanceField = balance > 0n ? 1 + varintLength(balance) : 0;
	const lockField = 2;
	const periodField = lockPeriodOn(properties)
		? 1 + varintLength(properties.get("MAX_DELEGATE_LOCK_PERIOD"))
		: 0;
	// The base size already includes four bytes for these fields.
	const more = Math.max(0, balanceField + lockField + periodField - 4);
	return BigInt(DELEGATION_BASE_SIZE + more + postQuantumBytes);
}

/** Bytes of a 64-bit varint. */
function varintLength(value: bigint): number {
	const bits = BigInt.asUintN(64, value).toString(2).length;
	return Math.ceil(bits / 7);
}
