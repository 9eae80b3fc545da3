/** A node's connections, and which ones it admits (protocol/peers §4.4 steps 3 and 4). */

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

	/** In order of registration. */
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
	 * Registers a connection after its HELLO, unless it can't be admitted. A node id belongs to the connection
	 * that has it, see {@link mayReplace}. For legacy peers without a node id that is not checked.
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
	 * A registered connection identifies itself. If it is us or a duplicate, one of the two is closed with
	 * T-DISCONNECT(DUPLICATE_PEER); an established one closed this way isn't banned.
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
 * Whether a connection replaces an earlier one with the same node id. By the network's rule the one that
 * started first stays, so that two nodes that dial each other simultaneously agree on one. But ids are
 * unproven: a peer could open a connection, wait, and then claim the id of a peer that connected meanwhile,
 * to have it thrown out. So only a connection with the same address may do that.
 */
function mayReplace(channel: Channel, established: Channel): boolean {
	return channel.remote.host === established.remote.host && channel.startMs < established.startMs;
}

/** Maximum remembered banned addresses. */
const MAX_BANNED = 2000;

/** Ban duration for closes that aren't the address's fault. */
export const NO_BAN_MS = 0;

/** Addresses temporarily neither admitted nor dialed (protocol/peers §4.6). */
export class BanList {
	/** Address -> end of the ban, milliseconds; oldest first. */
	private readonly ends = new Recent<number>(MAX_BANNED, Number.POSITIVE_INFINITY, () => 0);

	/** A running ban is neither extended nor shortened. */
	add(host: string, nowMs: number, durationMs: number): void {
		if (durationMs === NO_BAN_MS || this.has(host, nowMs)) return;
		this.ends.renew(host, nowMs + durationMs);
	}

	has(host: string, nowMs: number): boolean {
		return (this.ends.get(host) ?? 0) > nowMs;
	}
}
