/** What a log hears about connections that aren't made or end. */

import { addressText, type NetworkEnvironment, type NodeAddress } from "../environment.js";

/** The same about the same address is said again after this time at the earliest. */
const REPEAT_MS = 3_600_000;
const MAX_REMEMBERED = 1000;

export type PeerReport = (address: NodeAddress, fields: object, message: string) => void;

/**
 * Passes on what is new: a configured node that can't be reached would otherwise say so every four seconds, and a
 * stranger could fill the log.
 */
export function newsOnly(
	environment: NetworkEnvironment,
	report: (fields: object, message: string) => void,
): PeerReport {
	/** Host and message -> when it was said; oldest first. */
	const saidMs = new Map<string, number>();
	return (address, fields, message) => {
		const key = `${address.host} ${message}`;
		const now = environment.now();
		if (now - (saidMs.get(key) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return;
		saidMs.delete(key);
		saidMs.set(key, now);
		if (saidMs.size > MAX_REMEMBERED) saidMs.delete(saidMs.keys().next().value as string);
		report({ peer: addressText(address), ...fields }, message);
	};
}
