/** Bandwidth and energy of an account, and when what was used is back (protocol/resources §1). */

import { type Json, objectOf, wholeOf } from "./answer.js";

/** What was used comes back evenly within a day. */
const WINDOW_MS = 86_400_000;

export interface Resource {
	readonly name: string;
	readonly used: number;
	readonly limit: number;
	/** When all of it is back, if it isn't; ms since 1970. */
	readonly fullAtMs: number | undefined;
}

function resource(name: string, used: bigint, limit: bigint, usedAtMs: bigint, nowMs: number): Resource {
	const fullAtMs = Number(usedAtMs) + WINDOW_MS;
	const isRecovering = used > 0n && usedAtMs > 0n && fullAtMs > nowMs;
	return { name, used: Number(used), limit: Number(limit), fullAtMs: isRecovering ? fullAtMs : undefined };
}

/** @param account of `getaccount` @param resources of `getaccountresource`, whose usage is that of this moment */
export function resourcesOf(account: Json, resources: Json, nowMs: number): readonly Resource[] {
	const energyAtMs = wholeOf(objectOf(account, "account_resource"), "latest_consume_time_for_energy");
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
		),
		resource("energy", of("EnergyUsed"), of("EnergyLimit"), energyAtMs, nowMs),
	];
}

/** What is used after a time, as far as nothing else is. */
export function usedAfter({ used, fullAtMs }: Resource, nowMs: number, laterMs: number): number {
	if (fullAtMs === undefined) return used;
	const left = fullAtMs - nowMs;
	return Math.max(0, Math.round((used * (left - laterMs)) / left));
}
