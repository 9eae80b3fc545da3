/**
 * The interface between transport and application (protocol/peers §§4 and 5): the transport handles framing, compression,
 * keep-alives, bans and admission; the application sees connections after the transport handshake, and complete messages.
 */

import type { NodeAddress } from "./environment.js";
import type { OversizeMessage } from "./wire/message-kinds.js";

/** How long the other side's address is banned after a close (protocol/peers §4.6). */
export const BAN_MS = 60_000;
export const BAD_PEER_BAN_MS = 3_600_000;

/** A connection after its transport handshake. */
export interface PeerConnection {
	/** Address of the socket. */
	readonly remote: NodeAddress;
	/** Whether this node dialed it. */
	readonly outgoing: boolean;
	/** Whether it is exempt from being refused or dropped for lack of slots; may change when a relay's identity is proven. */
	trusted: boolean;
	/** 64 bytes, as claimed by the other side. */
	readonly nodeId: Uint8Array;
	/** When it was established, by the monotonic clock. */
	readonly startMs: number;
	/** When it was established, in milliseconds since 1970. */
	readonly connectTimeMs: number;
	/** Running mean of round-trip times, in milliseconds. */
	readonly averageLatencyMs: number;
	readonly isOpen: boolean;
	/** Bytes not yet sent; a peer with a large backlog has to wait. */
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
	 * Adopts the node id of an application HELLO (protocol/peers §5.2 row 2). If it is this node's own, or that of an earlier
	 * connection, this connection is closed with T-DISCONNECT(DUPLICATE_PEER).
	 * @returns whether the connection is still open
	 */
	replaceNodeId(nodeId: Uint8Array): boolean;
	/** Sends what was written, then closes; bans the address, unless it is already banned. */
	close(banMs?: number): void;
}

/** The application, as seen by the transport. Calls are made in order, and never from within a call to the connection. */
export interface ApplicationListener {
	connected(connection: PeerConnection): void;
	/** @param payload bytes after the type; must not be modified, but may be kept */
	received(connection: PeerConnection, type: number, payload: Uint8Array): void;
	/** A message was refused unread because of its size; the application must close the connection. */
	oversized(connection: PeerConnection, message: OversizeMessage): void;
	disconnected(connection: PeerConnection): void;
}

/** The transport, as seen by the application. */
export interface Transport {
	/** 64 bytes, new at each start. */
	readonly nodeId: Uint8Array;
	/** This node's endpoint as announced: IPv4 and IPv6 literals (either may be empty) and the port. */
	readonly self: { readonly ipv4: string; readonly ipv6: string; readonly port: number };
	/** Replaces the addresses that are always dialed (fast-forward nodes come and go, §10). */
	setConfigured(addresses: readonly NodeAddress[]): void;
	/** Makes an address trusted from its next connection on. */
	trust(host: string): void;
	/** Dials an address outside of the pool's own choice (effective check, §9.4). */
	dial(address: NodeAddress): void;
	/** Discovered nodes that can be dialed. */
	connectable(): readonly NodeAddress[];
	/** Nodes from DNS lists, without this node's own addresses. */
	dnsNodes(): readonly NodeAddress[];
	/** Size of the table of discovered nodes. */
	readonly tableSize: number;
}
