/** Drops peers that don't deliver (protocol/peers §9.1). */

import type { Timer } from "../environment.js";
import { Reason } from "../wire/application-messages.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";

const PERIOD_MS = 2000;
const FIRST_MS = 5000;
const PROGRESS_MS = 30_000;
const ITEM_MS = 20_000;
const BLOCK_MS = 5000;

export class StatusCheck {
	private timer: Timer | undefined;

	constructor(private readonly world: PeerWorld) {}

	start(): void {
		this.timer = this.world.environment.every(PERIOD_MS, () => this.check(), FIRST_MS);
	}

	stop(): void {
		this.timer?.cancel();
	}

	private check(): void {
		const now = this.world.now();
		for (const peer of [...this.world.peers]) {
			const why = overdue(peer, now);
			if (why) this.world.disconnect(peer, Reason.TIME_OUT, why);
		}
	}
}

/**
 * What a peer failed to do in time. A batch of blocks counts from the last block that came of it: a peer that delivers
 * is not dropped because its blocks are large or this node is slow.
 */
export function overdue(peer: Peer, now: number): string | undefined {
	if (peer.needSyncFromPeer && now - peer.bothHaveMs > PROGRESS_MS) return "no progress for 30 s";
	for (const sinceMs of peer.asked.values()) if (now - sinceMs > ITEM_MS) return "no answer for 20 s";
	for (const { sinceMs } of peer.requested.values()) {
		if (now - sinceMs > PROGRESS_MS) return "blocks outstanding for 30 s";
		if (now - Math.max(sinceMs, peer.lastDeliveryMs) > BLOCK_MS) return "no block for 5 s";
	}
	return undefined;
}
