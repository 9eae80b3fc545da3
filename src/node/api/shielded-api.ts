/** Whether the shielded endpoints are served (protocol/releases §3). */

import { isFrom, type Release } from "../rules/release.js";

/** What scans answer to a list of events, from release 4.8.2 on. */
export const EVENTS_REFUSED = "'events' field is deprecated and no longer supported";

/** What they answer where they are switched off. */
export function shieldedApiOff(release: Release): string {
	return isFrom(release, "4.8.2")
		? "Shielded transaction API is disabled; set node.allowShieldedTransactionApi=true to enable."
		: "ShieldedTransactionApi is not allowed";
}
