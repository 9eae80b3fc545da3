/** Bandwidth and energy of an account, and when usage has recovered (protocol/resources §2). */

import { type Json, objectOf, objectsOf, textOf, wholeOf } from "./answer.js";

/** Usage recovers linearly within a window: a day, or the one stored in the account. */
const WINDOW_MS = 86_400_000;
const SLOT_MS = 3_000;
/** Windows with finer resolution are in thousandths of slots. */
const FINE = 1_000;

function windowMs(size: bigint, isFine: boolean): number {
	const kept = Number(size);
	if (kept <= 0) return WINDOW_MS;
	if (!isFine) return kept * SLOT_MS;
	return kept < FINE ? WINDOW_MS : (kept / FINE) * SLOT_MS;
}

export interface Resource {
	readonly name: string;
	readonly used: number;
	readonly limit: number;
	/** When usage has fully recovered, if it hasn't; ms since 1970. */
	readonly fullAtMs: number | undefined;
}

function resource(
	name: string,
	used: bigint,
	limit: bigint,
	usedAtMs: bigint,
	nowMs: number,
	window = WINDOW_MS,
): Resource {
	const fullAtMs = Number(usedAtMs) + window;
	const isRecovering = used > 0n && usedAtMs > 0n && fullAtMs > nowMs;
	return { name, used: Number(used), limit: Number(limit), fullAtMs: isRecovering ? fullAtMs : undefined };
}

/** @param account from `getaccount` @param resources from `getaccountresource`, with the current usage */
export function resourcesOf(account: Json, resources: Json, nowMs: number): readonly Resource[] {
	const record = objectOf(account, "account_resource");
	const energyAtMs = wholeOf(record, "latest_consume_time_for_energy");
	const netMs = windowMs(wholeOf(account, "net_window_size"), account["net_window_optimized"] === true);
	const energyMs = windowMs(
		wholeOf(record, "energy_window_size"),
		record["energy_window_optimized"] === true,
	);
	const of = (name: string) => wholeOf(resources, name);
	return [
		resource(
			"free bandwidth",
			of("freeNetUsed"),
			of("freeNetLimit"),
			wholeOf(account, "latest_consume_free_time"),
			nowMs,
		),
		resource(
			"staked bandwidth",
			of("NetUsed"),
			of("NetLimit"),
			wholeOf(account, "latest_consume_time"),
			nowMs,
			netMs,
		),
		resource("energy", of("EnergyUsed"), of("EnergyLimit"), energyAtMs, nowMs, energyMs),
	];
}

/** The usage left at a later time, if nothing else is used. */
export function usedAfter({ used, fullAtMs }: Resource, nowMs: number, laterMs: number): number {
	if (fullAtMs === undefined) return used;
	const left = fullAtMs - nowMs;
	return Math.max(0, Math.round((used * (left - laterMs)) / left));
}

// Stakes, delegations and unstaking of an account, of Stake 1.0 and 2.0, and when each ends (protocol/staking
// §8.1).

interface Stake {
	readonly what: string;
	readonly sun: bigint;
	/** Whether these are the account's own staked coins. */
	readonly isStaked: boolean;
	/** When `end` becomes possible, ms since 1970; undefined if any time. */
	readonly endMs: number | undefined;
	readonly end: string;
}

const resourceOf = (stake: Json): string =>
	(textOf(stake, "type") || "BANDWIDTH").toLowerCase().replaceAll("_", " ");

/** Members of the account's record with delegated coins. */
const LENT = [
	["delegated_frozenV2_balance_for_bandwidth", "bandwidth lent to others", true],
	["acquired_delegated_frozenV2_balance_for_bandwidth", "bandwidth lent by others", false],
	["delegated_frozen_balance_for_bandwidth", "bandwidth lent to others (older kind)", true],
	["acquired_delegated_frozen_balance_for_bandwidth", "bandwidth lent by others (older kind)", false],
	["delegated_frozenV2_balance_for_energy", "energy lent to others", true],
	["acquired_delegated_frozenV2_balance_for_energy", "energy lent by others", false],
	["delegated_frozen_balance_for_energy", "energy lent to others (older kind)", true],
	["acquired_delegated_frozen_balance_for_energy", "energy lent by others (older kind)", false],
] as const;

/** @param account answer to `getaccount` */
export function stakesOf(account: Json): readonly Stake[] {
	const found: Stake[] = [];
	const add = (what: string, sun: bigint, isStaked: boolean, end: string, endMs?: number): void => {
		if (sun > 0n) found.push({ what, sun, isStaked, end, endMs });
	};
	for (const stake of objectsOf(account, "frozenV2"))
		add(`staked for ${resourceOf(stake)}`, wholeOf(stake, "amount"), true, "until it is unstaked");
	for (const stake of objectsOf(account, "frozen")) {
		const endMs = Number(wholeOf(stake, "expire_time"));
		add(
			"staked for bandwidth (older kind)",
			wholeOf(stake, "frozen_balance"),
			true,
			"can be unstaked",
			endMs,
		);
	}
	const resource = objectOf(account, "account_resource");
	const energy = objectOf(resource, "frozen_balance_for_energy");
	const energyEndMs = Number(wholeOf(energy, "expire_time"));
	add(
		"staked for energy (older kind)",
		wholeOf(energy, "frozen_balance"),
		true,
		"can be unstaked",
		energyEndMs,
	);
	for (const stake of objectsOf(account, "unfrozenV2")) {
		const endMs = Number(wholeOf(stake, "unfreeze_expire_time"));
		add(
			`unstaked from ${resourceOf(stake)}`,
			wholeOf(stake, "unfreeze_amount"),
			false,
			"can be withdrawn",
			endMs,
		);
	}
	for (const [member, what, isStaked] of LENT) {
		const sun = wholeOf(account, member) + wholeOf(resource, member);
		add(what, sun, isStaked, isStaked ? "until it is taken back" : "until they take it back");
	}
	return found;
}
