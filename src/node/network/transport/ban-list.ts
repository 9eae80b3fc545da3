/** Addresses that are not let in and not dialed for a while (protocol/peers §4.6). */

import { Recent } from "../../memory/recent.js";

const MAX_ENTRIES = 2000;

/** The end of a connection that says nothing against its address. */
export const NO_BAN_MS = 0;

export class BanList {
	/** Address -> end of the ban, milliseconds; oldest first. */
	private readonly ends = new Recent<number>(MAX_ENTRIES, Number.POSITIVE_INFINITY, () => 0);

	/** A ban that is running is neither prolonged nor shortened. */
	add(host: string, nowMs: number, durationMs: number): void {
		if (durationMs === NO_BAN_MS || this.has(host, nowMs)) return;
		this.ends.renew(host, nowMs + durationMs);
	}

	has(host: string, nowMs: number): boolean {
		return (this.ends.get(host) ?? 0) > nowMs;
	}
}
