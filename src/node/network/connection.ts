/**
 * The seam between transport and application (protocol/peers §§4 and 5): the transport frames, compresses, keeps alive, bans
 * and admits; the application sees connections whose transport handshake is finished, and whole messages.
 */

import type { NodeAddress } from "./environment.js";
import type { OversizeMessage } from "./wire/message-kinds.js";

/** What a close means for the other side's address (protocol/peers §4.6). */
export const BAN_MS = 60_000;
export const BAD_PEER_BAN_MS = 3_600_000;

/** A connection after its transport handshake. */
export interface PeerConnection {
	/** Address of the socket. */
	readonly remote: NodeAddress;
	/** We dialed it. */
	readonly outgoing: boolean;
	/** Never refused or dropped for want of room; may change when a relay's identity is proven. */
	trusted: boolean;
	/** 64 bytes, as the other side gave them. */
	readonly nodeId: Uint8Array;
	/** When it began, by the clock that only goes forward. */
	readonly startMs: number;
	/** When it began, in milliseconds since 1970. */
	readonly connectTimeMs: number;
	/** Running mean of round trips, milliseconds. */
	readonly averageLatencyMs: number;
	readonly isOpen: boolean;
	/** Bytes not sent yet: a peer with many is made to wait. */
	readonly backlog: number;
	/**
	 * Sends one application message; ignored on a closed connection.
	 * @param type 0x00 to 0x7e
	 * @param payload protobuf bytes, as they are
	 */
	send(type: number, payload: Uint8Array): void;
	/** Adds a sample to the mean round trip. */
	addLatency(ms: number): void;
	/**
	 * Takes over the node id of an application HELLO (protocol/peers §5.2 row 2). If it is our own, or that of another
	 * connection that began earlier, this connection is closed with T-DISCONNECT(DUPLICATE_PEER).
	 * @returns whether the connection is still open
	 */
	replaceNodeId(nodeId: Uint8Array): boolean;
	/** Sends what is written and closes; the address is banned unless a ban is running. */
	close(banMs?: number): void;
}

/** The application, as the transport sees it. All calls come in order and never within a call of the connection. */
export interface ApplicationListener {
	connected(connection: PeerConnection): void;
	/** @param payload bytes after the type; not to be changed, may be kept */
	received(connection: PeerConnection, type: number, payload: Uint8Array): void;
	/** A message that was refused for its size, unseen: the connection is to be ended. */
	oversized(connection: PeerConnection, message: OversizeMessage): void;
	disconnected(connection: PeerConnection): void;
}

/** The transport, as the application sees it. */
export interface Transport {
	/** 64 bytes, new at each start. */
	readonly nodeId: Uint8Array;
	/** Own endpoint as it is announced: IPv4 and IPv6 literals (either may be empty) and the port. */
	readonly self: { readonly ipv4: string; readonly ipv6: string; readonly port: number };
	/** Replaces the addresses that are always dialed (fast-forward nodes come and go, §10). */
	setConfigured(addresses: readonly NodeAddress[]): void;
	/** Makes an address trusted from its next connection on. */
	trust(host: string): void;
	/** Dials an address outside of the pool's own choice (effective check, §9.4). */
	dial(address: NodeAddress): void;
	/** Discovered nodes that a connection can be made to. */
	connectable(): readonly NodeAddress[];
	/** Nodes of lists in DNS, own addresses left out. */
	dnsNodes(): readonly NodeAddress[];
	/** Size of the table of discovered nodes. */
	readonly tableSize: number;
}
