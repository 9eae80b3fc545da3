/** Taking delegated stake from its receiver, with the share of usage that goes back (protocol/staking §5.5). */

import { fromDouble, minInt, toDouble, wrap } from "../../protocol/int64.js";
import { Account } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";
import { addDelegation, delegation, resourceStake, setDelegation } from "./stake.js";
import { accountIncrease, type Resource, resourceUsage, setResourceUsage } from "./window.js";

/** What was taken: the receiver as it was written, its window that of now, and the usage to be moved. */
interface TakenDelegation {
	readonly receiver: Readonly<Account>;
	readonly movedUsage: bigint;
}

/**
 * Reduces a receiver's delegation of generation 2 and writes it.
 * @param mostUsage the most usage that a stake can stand for
 * @returns undefined if the receiver no longer exists
 */
export function takeFromReceiver(
	state: StateView,
	address: Uint8Array,
	resource: Resource,
	amountSun: bigint,
	mostUsage: (state: StateView, resource: Resource, stakeSun: bigint) => bigint,
): TakenDelegation | undefined {
	const { properties } = state;
	const now = properties.headSlot;
	const stored = state.account.get(address);
	if (!stored) return undefined;
	const receiver = Account.copy(stored);
	const { usage, lastSlot } = resourceUsage(receiver, resource);
	const present = accountIncrease(properties, receiver, resource, usage, 0n, lastSlot, now);
	let moved = 0n;
	// A contract that was destroyed and created again may hold less than it was given.
	if (delegation(receiver, "acquired_delegated", "frozenV2", resource) < amountSun) {
		setDelegation(receiver, "acquired_delegated", "frozenV2", resource, 0n);
	} else {
		const stake = resourceStake(receiver, resource);
		const share = fromDouble(toDouble(present) * (toDouble(amountSun) / toDouble(stake)));
		moved = minInt(mostUsage(state, resource, amountSun), share);
		addDelegation(receiver, "acquired_delegated", "frozenV2", resource, -amountSun);
	}
	setResourceUsage(receiver, resource, wrap(present - moved), now);
	state.account.put(address, receiver);
	return { receiver, movedUsage: moved };
}
