/** Which connections a node has, and which it takes (sheet 09 §4.4 steps 3 and 4). */

import { equalBytes } from "../../../protocol/bytes.js";
import { DisconnectReason, HelloCode } from "../wire/transport-messages.js";
import type { BanList } from "./ban-list.js";
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
	 * Registers a connection whose HELLO came, unless it can't be taken. An equal node id goes to the connection that
	 * began first. Without a node id (a peer of the old kind) that is not looked at.
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
				if (other.startMs <= channel.startMs) return HelloCode.DUPLICATE_PEER;
				other.close();
			}
		}
		this.registered.add(channel);
		return HelloCode.NORMAL;
	}

	/**
	 * A registered connection says who it is. If that is us, or one that we have already, one of the two is closed with
	 * T-DISCONNECT(DUPLICATE_PEER): the one that began later.
	 */
	claim(channel: Channel): void {
		if (equalBytes(channel.nodeId, this.nodeId)) {
			channel.disconnect(DisconnectReason.DUPLICATE_PEER);
			return;
		}
		const [first, second] = [...this.registered].filter((each) => equalBytes(each.nodeId, channel.nodeId));
		if (first === undefined || second === undefined) return;
		(first.startMs > second.startMs ? first : second).disconnect(DisconnectReason.DUPLICATE_PEER);
	}

	remove(channel: Channel): void {
		this.registered.delete(channel);
	}
}
