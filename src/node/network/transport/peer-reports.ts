/** What is logged about connections that aren't made or end. */

import { Recent } from "../../memory/recent.js";
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
	/** Host and message. */
	const said = new Recent(MAX_REMEMBERED, REPEAT_MS, () => environment.now());
	return (address, fields, message) => {
		if (!said.put(`${address.host} ${message}`, true)) return;
		report({ peer: addressText(address), ...fields }, message);
	};
}
