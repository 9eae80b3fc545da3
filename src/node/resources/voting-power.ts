/** What an account may vote with (protocol/staking §2). Power is in sun; a vote costs a coin. */

import { wrap } from "../../protocol/int64.js";
import { type Account, ResourceCode } from "../../protocol/messages.js";
import type { Properties } from "../state/properties.js";
import { delegation, ownStakeV1, ownStakeV2 } from "./stake.js";

/** `old_coin_power` of an account that votes only with stake for voting power. */
const INVALID = -1n;

/** Power of stakes for resources, delegated ones included: what counted before stake for voting power existed. */
export function resourcePower(account: Readonly<Account>): bigint {
	let power = ownStakeV1(account, ResourceCode.BANDWIDTH) + ownStakeV1(account, ResourceCode.ENERGY);
	for (const stake of account.frozenV2) if (stake.type !== ResourceCode.COIN_POWER) power += stake.amount;
	for (const generation of ["frozen", "frozenV2"] as const) {
		power += delegation(account, "delegated", generation, "bandwidth");
		power += delegation(account, "delegated", generation, "energy");
	}
	return wrap(power);
}

/** Power with the new resource model: stake for voting power, and the old power while it is valid. */
export function fullPower(account: Readonly<Account>): bigint {
	const bought = ownStakeV1(account, ResourceCode.COIN_POWER) + ownStakeV2(account, ResourceCode.COIN_POWER);
	if (account.old_coin_power === INVALID) return wrap(bought);
	const old = account.old_coin_power === 0n ? resourcePower(account) : account.old_coin_power;
	return wrap(old + bought);
}

/** The power that votes are checked against. */
export function votingPower(properties: Properties, account: Readonly<Account>): bigint {
	return properties.on("ALLOW_NEW_RESOURCE_MODEL") ? fullPower(account) : resourcePower(account);
}

/** Whether only stake for voting power counts, so that other stakes leave the votes alone. */
export function oldPowerInvalid(properties: Properties, account: Readonly<Account>): boolean {
	return properties.on("ALLOW_NEW_RESOURCE_MODEL") && account.old_coin_power === INVALID;
}

/** Keeps the present power as the old power, at the first touch under the new resource model. */
export function initializeOldPower(properties: Properties, account: Account): void {
	if (!properties.on("ALLOW_NEW_RESOURCE_MODEL") || account.old_coin_power !== 0n) return;
	const power = resourcePower(account);
	account.old_coin_power = power === 0n ? INVALID : power;
}

/** Ends the old power, after any unstaking under the new resource model. */
export function invalidateOldPower(properties: Properties, account: Account): void {
	if (properties.on("ALLOW_NEW_RESOURCE_MODEL")) account.old_coin_power = INVALID;
}
