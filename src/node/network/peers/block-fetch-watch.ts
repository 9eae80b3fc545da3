/**
 * Makes sure the next block arrives soon: if the peer it was requested from is slow, another announcer is
 * asked as well (protocol/peers §8.2, "Block fetch retry").
 */

import { numberOfBlockId } from "../../../protocol/block.js";
import type { Timer } from "../environment.js";
import { InventoryKind } from "../wire/application-messages.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";
import { itemKey } from "./recent.js";

const CHECK_MS = 50;
/** A new peer is asked before the old one is late if it is at least this much faster. */
const WORTH_IT = 0.5;

interface Watched {
	readonly id: Uint8Array;
	readonly key: string;
	readonly peer: Peer;
	readonly sinceMs: number;
}

export class BlockFetchWatch {
	private watched: Watched | undefined;
	private timer: Timer | undefined;

	constructor(
		private readonly world: PeerWorld,
		private readonly ask: (peer: Peer, id: Uint8Array) => void,
	) {}

	/** Blocks were requested from a peer: the one after the head is watched. */
	asked(peer: Peer, ids: readonly Uint8Array[]): void {
		if (this.watched) return;
		const next = this.world.chain.head.number + 1n;
		const id = ids.find((each) => numberOfBlockId(each) === next);
		if (!id) return;
		const key = itemKey(InventoryKind.BLOCK, id);
		this.watched = { id, key, peer, sinceMs: this.world.now() };
		this.timer = this.world.environment.every(CHECK_MS, () => this.check(), CHECK_MS);
	}

	arrived(key: string): void {
		if (this.watched?.key === key) this.stop();
	}

	peerLeft(peer: Peer): void {
		if (this.watched?.peer === peer) this.stop();
	}

	stop(): void {
		this.watched = undefined;
		this.timer?.cancel();
	}

	private check(): void {
		const { watched } = this;
		if (!watched) return;
		const limit = this.world.settings.fetchBlockTimeoutMs;
		const elapsed = this.world.now() - watched.sinceMs;
		const best = this.bestOther(watched, limit);
		if (!best) {
			if (elapsed >= limit) this.stop();
			return;
		}
		const oldMs = watched.peer.fetchLatency.p75;
		const newMs = best.fetchLatency.p75;
		const isFaster = newMs < WORTH_IT * (oldMs - elapsed) && elapsed + newMs < limit;
		if (oldMs <= limit && elapsed < limit && !isFaster) return;
		this.stop();
		this.ask(best, watched.id);
	}

	private bestOther({ peer: old, key }: Watched, limit: number): Peer | undefined {
		let best: Peer | undefined;
		for (const peer of this.world.synced) {
			if (peer === old || !peer.isIdle || !peer.announcedToUs.has(key)) continue;
			const ms = peer.fetchLatency.p75;
			if (ms <= limit && (!best || ms < best.fetchLatency.p75)) best = peer;
		}
		return best;
	}
}
