/** Which connections a node has, and which it takes (protocol/peers §4.4 steps 3 and 4). */

import { equalBytes } from "../../../protocol/bytes.js";
import { Recent } from "../../memory/recent.js";
import { DisconnectReason, HelloCode } from "../wire/transport-messages.js";
import type { Channel } from "./channel.js";

export interface ConnectionLimits {
	readonly maxConnections: number;
	readonly maxConnectionsWithSameIp: number;
}

export class ChannelRegistry {
	private readonly registered = new Set<Channel>();

	constructor(
		/** Our own node id, 64 bytes. */
		readonly nodeId: Uint8Array,
		private readonly limits: ConnectionLimits,
		private readonly bans: BanList,
	) {}

	/** In the order of their registration. */
	get channels(): readonly Channel[] {
		return [...this.registered];
	}

	get size(): number {
		return this.registered.size;
	}

	countOf(host: string): number {
		let count = 0;
		for (const channel of this.registered) if (channel.remote.host === host) count++;
		return count;
	}

	isNodeIdInUse(nodeId: Uint8Array): boolean {
		if (equalBytes(nodeId, this.nodeId)) return true;
		for (const channel of this.registered) if (equalBytes(channel.nodeId, nodeId)) return true;
		return false;
	}

	/**
	 * Registers a connection whose HELLO came, unless it can't be taken. A node id belongs to the connection that has it,
	 * see {@link mayReplace}. Without a node id (a peer of the old kind) that is not looked at.
	 */
	admit(channel: Channel, nowMs: number): HelloCode {
		if (!channel.outgoing && !channel.trusted) {
			const { host } = channel.remote;
			if (this.bans.has(host, nowMs)) return HelloCode.TIME_BANNED;
			if (this.registered.size >= this.limits.maxConnections) return HelloCode.TOO_MANY_PEERS;
			if (this.countOf(host) >= this.limits.maxConnectionsWithSameIp)
				return HelloCode.MAX_CONNECTION_WITH_SAME_IP;
		}
		if (channel.nodeId.length > 0) {
			for (const other of this.registered) {
				if (!equalBytes(other.nodeId, channel.nodeId)) continue;
				if (!mayReplace(channel, other)) return HelloCode.DUPLICATE_PEER;
				other.close(NO_BAN_MS);
			}
		}
		this.registered.add(channel);
		return HelloCode.NORMAL;
	}

	/**
	 * A registered connection says who it is. If that is us, or one that we have already, one of the two is closed with
	 * T-DISCONNECT(DUPLICATE_PEER); an established one that had to go is not banned for it.
	 */
	claim(channel: Channel): void {
		if (equalBytes(channel.nodeId, this.nodeId)) {
			channel.disconnect(DisconnectReason.DUPLICATE_PEER);
			return;
		}
		for (const other of [...this.registered]) {
			if (other === channel || !equalBytes(other.nodeId, channel.nodeId)) continue;
			if (!mayReplace(channel, other)) {
				channel.disconnect(DisconnectReason.DUPLICATE_PEER);
				return;
			}
			other.disconnect(DisconnectReason.DUPLICATE_PEER, NO_BAN_MS);
		}
	}

	remove(channel: Channel): void {
		this.registered.delete(channel);
	}
}

/**
 * Whether a connection takes the place of one that had its node id before. By the network's rule the one that began
 * first stays, so that two nodes that dial each other at the same time agree on one. But nothing proves an id: a peer that opens
 * a connection, waits, and then gives the id of a peer that came meanwhile would have that peer thrown out. So only a
 * connection with the same address can do that.
 */
function mayReplace(channel: Channel, established: Channel): boolean {
	return channel.remote.host === established.remote.host && channel.startMs < established.startMs;
}

/** Banned addresses that are remembered. */
const MAX_BANNED = 2000;

/** The end of a connection that says nothing against its address. */
export const NO_BAN_MS = 0;

/** Addresses that are not let in and not dialed for a while (protocol/peers §4.6). */
export class BanList {
	/** Address -> end of the ban, milliseconds; oldest first. */
	private readonly ends = new Recent<number>(MAX_BANNED, Number.POSITIVE_INFINITY, () => 0);

	/** A ban that is running is neither prolonged nor shortened. */
	add(host: string, nowMs: number, durationMs: number): void {
		if (durationMs === NO_BAN_MS || this.has(host, nowMs)) return;
		this.ends.renew(host, nowMs + durationMs);
	}

	has(host: string, nowMs: number): boolean {
		return (this.ends.get(host) ?? 0) > nowMs;
	}
}
