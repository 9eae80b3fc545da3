/**
 * Staked coins of an account, by kind and generation (protocol/resources §§3.1 and 4.1, protocol/staking §1). Amounts in sun.
 *
 * Stake 1.0 locks coins for a fixed time; Stake 2.0 ("V2") unlocks them on demand, after a delay. Delegated
 * coins are not part of the owner's own stake and are recorded on both accounts.
 */

import { fromDouble, OverflowError, SUN_PER_COIN, toDouble, wrap } from "../../protocol/int64.js";
import {
	type Account,
	AccountFreezeV2,
	type AccountUnFreezeV2,
	ResourceCode,
} from "../../protocol/messages.js";
import type { Properties } from "../state/properties.js";
import { isExact, result } from "./arithmetic.js";
import { editEnergy, type Resource, unfreezeDelayOn } from "./window.js";

export const DAY_MS = 86_400_000n;

/** The resource of a code; undefined if it isn't a resource that can be delegated. */
export function resourceOf(code: number): Resource | undefined {
	if (code === ResourceCode.BANDWIDTH) return "bandwidth";
	return code === ResourceCode.ENERGY ? "energy" : undefined;
}

/** The code of a resource. */
export function codeOf(resource: Resource): typeof ResourceCode.BANDWIDTH | typeof ResourceCode.ENERGY {
	return resource === "bandwidth" ? ResourceCode.BANDWIDTH : ResourceCode.ENERGY;
}

/** Generation of a stake, as its fields are named. */
type Generation = "frozen" | "frozenV2";

/** Whether coins were delegated to others, or received from them. */
type DelegationSide = "delegated" | "acquired_delegated";

const fieldsOf = <S extends DelegationSide, G extends Generation>(side: S, generation: G) => ({
	bandwidth: `${side}_${generation}_balance_for_bandwidth` as const,
	energy: `${side}_${generation}_balance_for_energy` as const,
});

const DELEGATION_FIELDS = {
	delegated: { frozen: fieldsOf("delegated", "frozen"), frozenV2: fieldsOf("delegated", "frozenV2") },
	acquired_delegated: {
		frozen: fieldsOf("acquired_delegated", "frozen"),
		frozenV2: fieldsOf("acquired_delegated", "frozenV2"),
	},
};

/** Coins that an account has delegated or received, for one resource. */
export function delegation(
	account: Readonly<Account>,
	side: DelegationSide,
	generation: Generation,
	resource: Resource,
): bigint {
	const { bandwidth, energy } = DELEGATION_FIELDS[side][generation];
	return resource === "bandwidth" ? account[bandwidth] : (account.account_resource?.[energy] ?? 0n);
}

/** Sets what {@link delegation} reads, in a record that the caller writes. */
export function setDelegation(
	account: Account,
	side: DelegationSide,
	generation: Generation,
	resource: Resource,
	amount: bigint,
): void {
	if (resource === "bandwidth") account[`${side}_${generation}_balance_for_bandwidth`] = amount;
	else editEnergy(account)[`${side}_${generation}_balance_for_energy`] = amount;
}

/** Adds to what {@link delegation} reads, in a record that the caller writes. */
export function addDelegation(
	account: Account,
	side: DelegationSide,
	generation: Generation,
	resource: Resource,
	delta: bigint,
): void {
	const amount = wrap(delegation(account, side, generation, resource) + delta);
	setDelegation(account, side, generation, resource, amount);
}

/** Own Stake 1.0 stake for a resource code, not counting delegated coins. */
export function ownStakeV1(account: Readonly<Account>, code: number): bigint {
	switch (code) {
		case ResourceCode.BANDWIDTH:
			if (account.frozen.length === 0) return 0n;
			return wrap(account.frozen.reduce((sum, frozen) => sum + frozen.frozen_balance, 0n));
		case ResourceCode.ENERGY:
			return account.account_resource?.frozen_balance_for_energy?.frozen_balance ?? 0n;
		case ResourceCode.COIN_POWER:
			return account.coin_power?.frozen_balance ?? 0n;
		default:
			return 0n;
	}
}

/** Own Stake 2.0 stake for a resource code, not counting delegated coins. */
export function ownStakeV2(account: Readonly<Account>, code: number): bigint {
	let sum = 0n;
	for (const stake of account.frozenV2) if (stake.type === code) sum += stake.amount;
	return wrap(sum);
}

/** Adds to the own Stake 2.0 stake of a record that the caller writes. An entry that reaches 0 is kept. */
export function addStakeV2(account: Account, code: number, delta: bigint): void {
	const at = account.frozenV2.findIndex((stake) => stake.type === code);
	const stakes = [...account.frozenV2];
	if (at < 0) stakes.push(AccountFreezeV2.create({ type: code, amount: delta }));
	else {
		const changed = AccountFreezeV2.copy(stakes[at] as Readonly<AccountFreezeV2>);
		changed.amount = wrap(changed.amount + delta);
		stakes[at] = changed;
	}
	account.frozenV2 = stakes;
}

/** Stake 2.0 coins that count towards a total weight: own and delegated ones. */
export function weightV2(account: Readonly<Account>, code: number): bigint {
	const resource = resourceOf(code);
	const given = resource ? delegation(account, "delegated", "frozenV2", resource) : 0n;
	return wrap(ownStakeV2(account, code) + given) / SUN_PER_COIN;
}

/** Adds coins to the total weight of a resource code; codes without a total are ignored. */
export function addTotalWeight(properties: Properties, code: number, coins: bigint): void {
	if (code === ResourceCode.BANDWIDTH) properties.addTotalWeight("TOTAL_NET_WEIGHT", coins);
	else if (code === ResourceCode.ENERGY) properties.addTotalWeight("TOTAL_ENERGY_WEIGHT", coins);
	else if (code === ResourceCode.COIN_POWER) properties.addTotalWeight("TOTAL_COIN_POWER_WEIGHT", coins);
}

/** Coins that entitle an account to a resource: own and received, of both generations. */
export function resourceStake(account: Readonly<Account>, resource: Resource): bigint {
	const code = codeOf(resource);
	const own = ownStakeV1(account, code) + ownStakeV2(account, code);
	// PERF: called for every transaction; literal property names are far faster than computed ones.
	if (resource === "bandwidth") {
		const { acquired_delegated_frozen_balance_for_bandwidth: first } = account;
		return wrap(own + first + account.acquired_delegated_frozenV2_balance_for_bandwidth);
	}
	const energy = account.account_resource;
	if (!energy) return wrap(own);
	const { acquired_delegated_frozen_balance_for_energy: first } = energy;
	return wrap(own + first + energy.acquired_delegated_frozenV2_balance_for_energy);
}

/** The daily amount shared by all stakes for a resource, and their total weight in coins. */
export function resourceTotals(
	properties: Properties,
	resource: Resource,
): { readonly limit: bigint; readonly weight: bigint } {
	return resource === "bandwidth"
		? { limit: properties.get("TOTAL_NET_LIMIT"), weight: properties.get("TOTAL_NET_WEIGHT") }
		: { limit: properties.get("TOTAL_ENERGY_CURRENT_LIMIT"), weight: properties.get("TOTAL_ENERGY_WEIGHT") };
}

/**
 * The daily amount of a resource that an account's stake yields, except for executions (protocol/resources §§3.1 and 4.1).
 *
 * Under the oldest rules total weights drift, by fractions of coins, to 0 and below although there are
 * stakes: at 0 nobody has bandwidth, but everyone has all the energy.
 */
export function resourceLimit(
	properties: Properties,
	account: Readonly<Account>,
	resource: Resource,
): bigint {
	const stakeSun = resourceStake(account, resource);
	const { limit, weight } = resourceTotals(properties, resource);
	if (unfreezeDelayOn(properties)) {
		if (weight === 0n) return 0n;
		if (isExact(properties)) return result(properties, (stakeSun * limit) / (SUN_PER_COIN * weight));
		return fromDouble((toDouble(stakeSun) / 1_000_000) * (toDouble(limit) / toDouble(weight)));
	}
	if (stakeSun < SUN_PER_COIN) return 0n;
	if (properties.on("ALLOW_NEW_REWARD") && weight <= 0n) return 0n;
	if (resource === "bandwidth" && weight === 0n) return 0n;
	return shareOfCoins(properties, stakeSun, limit, weight);
}

/** The share of a limit for whole coins of stake. @param weight of all stakes, in coins */
export function shareOfCoins(
	properties: Properties,
	stakeSun: bigint,
	limit: bigint,
	weight: bigint,
): bigint {
	const coins = stakeSun / SUN_PER_COIN;
	if (!isExact(properties)) return fromDouble(toDouble(coins) * (toDouble(limit) / toDouble(weight)));
	if (weight === 0n) throw new OverflowError("BigInteger divide by zero");
	return result(properties, (coins * limit) / weight);
}

/** Splits a list of unstaked amounts by whether their delay has passed at a time. */
export function splitUnstaking(
	unstaking: readonly Readonly<AccountUnFreezeV2>[],
	timeMs: bigint,
): { readonly waiting: readonly Readonly<AccountUnFreezeV2>[]; readonly expiredSun: bigint } {
	const waiting: Readonly<AccountUnFreezeV2>[] = [];
	let expired = 0n;
	for (const entry of unstaking) {
		if (entry.unfreeze_expire_time <= timeMs) expired += entry.unfreeze_amount;
		else waiting.push(entry);
	}
	return { waiting, expiredSun: wrap(expired) };
}

/** Maximum number of an account's pending unstakes. */
export const MAX_UNSTAKING_ENTRIES = 32;

/** The unstaking delay in milliseconds. @param ownMs a development chain's own delay */
export function unstakingDelayMs(properties: Properties, ownMs: bigint | undefined): bigint {
	return ownMs ?? properties.get("UNFREEZE_DELAY_DAYS") * DAY_MS;
}
