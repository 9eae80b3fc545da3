/** Bandwidth and energy of an account, and when what was used is back (protocol/resources §2). */

import { type Json, objectOf, wholeOf } from "./answer.js";

/** What was used comes back evenly within a window: a day, or what the account keeps. */
const WINDOW_MS = 86_400_000;
const SLOT_MS = 3_000;
/** Windows that are kept finer than slots count thousandths of them. */
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
	/** When all of it is back, if it isn't; ms since 1970. */
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

/** @param account of `getaccount` @param resources of `getaccountresource`, whose usage is that of this moment */
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

/** What is used after a time, as far as nothing else is. */
export function usedAfter({ used, fullAtMs }: Resource, nowMs: number, laterMs: number): number {
	if (fullAtMs === undefined) return used;
	const left = fullAtMs - nowMs;
	return Math.max(0, Math.round((used * (left - laterMs)) / left));
}
