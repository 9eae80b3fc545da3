/** How much of its stake an account may still delegate (protocol/staking §5.3). Amounts in sun. */

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

/** Length of a lock unless the delegation names another, in blocks. */
export const DEFAULT_LOCK_PERIOD = 86_400n;

/** Bytes of a delegation without the fields whose length varies. */
const DELEGATION_BASE_SIZE = 275;

/** Whether a lock may have a length of its own. */
export function lockPeriodOn(properties: Properties): boolean {
	return properties.get("MAX_DELEGATE_LOCK_PERIOD") > DEFAULT_LOCK_PERIOD && unfreezeDelayOn(properties);
}

/**
 * Own stake of generation 2 that is not in use. Usage is attributed to stake of generation 1 and to received
 * delegations first. The result is negative where more is used than staked.
 * @param upcomingBytes bandwidth that the account is about to use besides
 */
export function delegableStake(
	properties: Properties,
	account: Readonly<Account>,
	resource: Resource,
	upcomingBytes = 0n,
): bigint {
	const { usage, lastSlot } = resourceUsage(account, resource);
	// The window moves with the usage, but not that of the account.
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

/** Stake that a usage occupies. */
export function usedStake(properties: Properties, resource: Resource, usage: bigint): bigint {
	const { limit, weight } = resourceTotals(properties, resource);
	const share = toDouble(weight) / toDouble(limit);
	return fromDouble(toDouble(wrap(usage * SUN_PER_COIN)) * share);
}

/** Bytes that a delegation of all of the account's bandwidth stake would cost: the network's estimate. */
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
	// The base size counts four bytes for these fields already.
	const more = Math.max(0, balanceField + lockField + periodField - 4);
	return BigInt(DELEGATION_BASE_SIZE + more + postQuantumBytes);
}

/** Bytes of a 64-bit integer on the wire. */
function varintLength(value: bigint): number {
	const bits = BigInt.asUintN(64, value).toString(2).length;
	return Math.ceil(bits / 7);
}
