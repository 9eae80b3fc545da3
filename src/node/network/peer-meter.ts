/** What a node counts about its peers, where its configuration asks for it (protocol/configuration §4.5). */

export interface PeerMeter {
	/** Bytes over a socket, sent or received at once. */
	bytes(protocol: "tcp" | "udp", direction: "in" | "out", count: number): void;
	/** An application message was dealt with. @param type its name */
	processed(type: string, ms: number): void;
	/** A connection ended with a reason, ours or the peer's. */
	disconnected(reason: string): void;
	/** A peer's message ended in an error. @param kind as the network names them: `bad_message` */
	failed(kind: string): void;
	/** An announced block came after it was asked for. */
	blockFetched(ms: number): void;
	/** An announced block came this long after its time. */
	blockReceived(delayMs: number): void;
}
