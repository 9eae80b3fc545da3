/** Changes of an account's votes, and the effect of unstaking on them (protocol/staking §3). */

import { fromDouble, SUN_PER_COIN, toDouble, wrap } from "../../protocol/int64.js";
import { type Account, ResourceCode, Vote, Votes } from "../../protocol/messages.js";
import type { Properties } from "../state/properties.js";
import type { StateView } from "../state/view.js";
import { delegation, ownStakeV1, ownStakeV2 } from "./stake.js";

/**
 * Replaces an account's votes, and stores the record that the next maintenance counts.
 * @param account a record that the caller writes
 */
export function replaceVotes(state: StateView, account: Account, votes: readonly Readonly<Vote>[]): void {
	const stored = state.votes.get(account.address);
	const record = stored
		? Votes.copy(stored)
		: Votes.create({ address: account.address, old_votes: account.votes });
	record.new_votes = votes;
	account.votes = votes;
	state.votes.put(account.address, record);
}

/** Whether unstaking for this code doesn't affect votes, since they rest on voting power stake only. */
export function votesIndependentOf(state: StateView, account: Readonly<Account>, code: number): boolean {
	return code !== ResourceCode.COIN_POWER && oldPowerInvalid(state.properties, account);
}

/**
 * Shrinks votes to the power left after Stake 2.0 unstaking (protocol/staking §3.3).
 * @param account a record that the caller writes, its stake already reduced
 */
export function shrinkVotes(state: StateView, account: Account, code: number): void {
	const { properties } = state;
	if (account.votes.length === 0) return;
	if (votesIndependentOf(state, account, code)) return;
	if (properties.on("ALLOW_NEW_RESOURCE_MODEL") && !oldPowerInvalid(properties, account)) {
		replaceVotes(state, account, []);
		return;
	}
	const total = wrap(account.votes.reduce((sum, vote) => sum + vote.vote_count, 0n));
	const power = votingPower(properties, account);
	if (total === 0n || power >= wrap(total * SUN_PER_COIN)) return;
	replaceVotes(state, account, rescaleVotes(account.votes, total, power));
}

/** Scales votes down to a power in sun; votes that become 0 are dropped. */
export function rescaleVotes(
	votes: readonly Readonly<Vote>[],
	total: bigint,
	powerSun: bigint,
): readonly Readonly<Vote>[] {
	const kept: Vote[] = [];
	for (const vote of votes) {
		// The order of roundings is consensus-critical.
		const share = (toDouble(vote.vote_count) / toDouble(total)) * toDouble(powerSun);
		const count = fromDouble(share / toDouble(SUN_PER_COIN));
		if (count > 0n) kept.push(Vote.create({ vote_address: vote.vote_address, vote_count: count }));
	}
	return kept;
}

// Voting power (protocol/staking §2). Power is in sun; a vote costs one coin.

/** `old_coin_power` of an account whose votes rest on voting power stake only. */
const INVALID = -1n;

/** Power from resource stakes, including delegated ones; all that counted before voting power stake existed. */
export function resourcePower(account: Readonly<Account>): bigint {
	let power = ownStakeV1(account, ResourceCode.BANDWIDTH) + ownStakeV1(account, ResourceCode.ENERGY);
	for (const stake of account.frozenV2) if (stake.type !== ResourceCode.COIN_POWER) power += stake.amount;
	for (const generation of ["frozen", "frozenV2"] as const) {
		power += delegation(account, "delegated", generation, "bandwidth");
		power += delegation(account, "delegated", generation, "energy");
	}
	return wrap(power);
}

/** Power under the new resource model: voting power stake, plus the old power while it is valid. */
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

/** Whether only voting power stake counts, so that other stakes don't affect votes. */
function oldPowerInvalid(properties: Properties, account: Readonly<Account>): boolean {
	return properties.on("ALLOW_NEW_RESOURCE_MODEL") && account.old_coin_power === INVALID;
}

/** Saves the current power as the old power, on first use under the new resource model. */
export function initializeOldPower(properties: Properties, account: Account): void {
	if (!properties.on("ALLOW_NEW_RESOURCE_MODEL") || account.old_coin_power !== 0n) return;
	const power = resourcePower(account);
	account.old_coin_power = power === 0n ? INVALID : power;
}

/** Invalidates the old power, after any unstaking under the new resource model. */
export function invalidateOldPower(properties: Properties, account: Account): void {
	if (properties.on("ALLOW_NEW_RESOURCE_MODEL")) account.old_coin_power = INVALID;
}
