/** What the dial pool takes from discovery (protocol/peers §4.7 step 3): discovery gives it, the transport asks. */

import type { NodeAddress } from "../environment.js";

/** A node that was found by UDP discovery and can be dialed. */
export interface ConnectableNode {
	readonly address: NodeAddress;
	/** 64 bytes, as the node announced it. */
	readonly nodeId: Uint8Array;
	/** When it was last seen, milliseconds. */
	readonly updatedMs: number;
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
