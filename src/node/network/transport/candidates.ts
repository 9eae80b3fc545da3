/** Candidates for the dial pool (protocol/peers §4.7 step 3): provided by discovery, queried by the transport. */

import { Recent } from "../../memory/recent.js";
import { addressText, type NetworkEnvironment, type NodeAddress } from "../environment.js";

/** A dialable node found by UDP discovery. */
export interface ConnectableNode {
	readonly address: NodeAddress;
	/** 64 bytes, as announced by the node. */
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
	/** Nodes that, according to discovery, listen on this port and belong to our network; in any order. */
	connectable(): readonly ConnectableNode[];
	/** Addresses from DNS trees, without our own; they have no node id until dialed. */
	dnsNodes(): readonly NodeAddress[];
	/** Size of the table of discovered nodes. */
	readonly tableSize: number;
}

/** For a node without discovery. */
export const NO_CANDIDATES: CandidateSource = {
	connectable: () => [],
	dnsNodes: () => [],
	tableSize: 0,
};

// Logging of failed and closed connections.

/** The same message about the same address is repeated after this time at the earliest. */
const REPEAT_MS = 3_600_000;
const MAX_REMEMBERED = 1000;

export type PeerReport = (address: NodeAddress, fields: object, message: string) => void;

/**
 * Suppresses repetitions: an unreachable configured node would otherwise be logged every four seconds, and a
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
