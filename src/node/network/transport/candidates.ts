/** What the dial pool takes from discovery (protocol/peers §4.7 step 3): discovery gives it, the transport asks. */

import { Recent } from "../../memory/recent.js";
import { addressText, type NetworkEnvironment, type NodeAddress } from "../environment.js";

/** A node that was found by UDP discovery and can be dialed. */
export interface ConnectableNode {
	readonly address: NodeAddress;
	/** 64 bytes, as the node announced it. */
	readonly nodeId: Uint8Array;
	/** When it was last seen, milliseconds. */
	readonly updatedMs: number;
}

/** A node that may be dialed. */
export interface Candidate {
	readonly address: NodeAddress;
	/** 64 bytes; undefined: not known before it is dialed. */
	readonly nodeId: Uint8Array | undefined;
}

export interface CandidateSource {
	/** Nodes whose discovery says that they listen on this port and belong to our network; in any order. */
	connectable(): readonly ConnectableNode[];
	/** Addresses from DNS trees, own addresses left out; they have no node id until they are dialed. */
	dnsNodes(): readonly NodeAddress[];
	/** Entries in the table of discovered nodes. */
	readonly tableSize: number;
}

/** For a node without discovery. */
export const NO_CANDIDATES: CandidateSource = {
	connectable: () => [],
	dnsNodes: () => [],
	tableSize: 0,
};

// What is logged about connections that aren't made or end.

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
