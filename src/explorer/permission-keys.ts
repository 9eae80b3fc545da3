/** Which keys reach a permission's threshold, alone or in small sets (protocol/permissions §2). */

import { type Json, objectsOf, textOf, wholeOf } from "./answer.js";

export interface Key {
	readonly address: string;
	readonly weight: bigint;
	/** Whether every sufficient set needs it. */
	readonly isNeeded: boolean;
	readonly isEnough: boolean;
}

export interface PermissionKeys {
	readonly threshold: bigint;
	readonly total: bigint;
	/** Heaviest first. */
	readonly keys: readonly Key[];
	/** Minimal sufficient sets of keys, smallest first. */
	readonly together: readonly (readonly Key[])[];
	/** Whether there are more sets than these. */
	readonly hasMore: boolean;
}

/** More than the network's limit of five keys. */
const MAX_KEYS = 10;
const MAX_SETS = 12;

/** @param permission `{threshold, keys: [{address, weight}]}` */
export function permissionKeys(permission: Json): PermissionKeys {
	const threshold = wholeOf(permission, "threshold");
	const given = objectsOf(permission, "keys")
		.map((key) => ({ address: textOf(key, "address"), weight: wholeOf(key, "weight") }))
		.sort((a, b) => (a.weight === b.weight ? 0 : a.weight < b.weight ? 1 : -1));
	const total = given.reduce((sum, { weight }) => sum + weight, 0n);
	const keys = given.map((key) => ({
		...key,
		isNeeded: total - key.weight < threshold,
		isEnough: key.weight >= threshold,
	}));
	const sets = leastSets(keys.slice(0, MAX_KEYS), threshold);
	return { threshold, total, keys, together: sets.slice(0, MAX_SETS), hasMore: sets.length > MAX_SETS };
}

function leastSets(keys: readonly Key[], threshold: bigint): (readonly Key[])[] {
	const found: (readonly Key[])[] = [];
	for (let chosen = 1; chosen < 1 << keys.length; chosen++) {
		const set = keys.filter((_, index) => (chosen >> index) & 1);
		const weight = set.reduce((sum, key) => sum + key.weight, 0n);
		// A set is minimal if removing any key falls below the threshold.
		const isLeast = weight >= threshold && set.every((key) => weight - key.weight < threshold);
		if (isLeast) found.push(set);
	}
	return found.sort((a, b) => a.length - b.length);
}
