/** The network side of a node whose network begins after its servers. */

import type { SignedTransaction } from "../protocol/transaction.js";
import type { NetworkView } from "./api/context.js";

/** Shows a network that talks to nobody until another one takes its place. */
export class LateNetwork implements NetworkView {
	constructor(private current: NetworkView) {}

	/** From now on this is the network. */
	become(network: NetworkView): void {
		this.current = network;
	}

	peers = () => this.current.peers();
	connectableNodes = () => this.current.connectableNodes();
	announce = (transaction: SignedTransaction) => this.current.announce(transaction);

	get tableSize(): number {
		return this.current.tableSize;
	}

	get nodeId(): string {
		return this.current.nodeId;
	}
}
