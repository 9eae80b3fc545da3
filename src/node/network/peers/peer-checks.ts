/** What is looked for among the peers from time to time (protocol/peers §9). */

import { Recent } from "../../memory/recent.js";
import type { Transport } from "../connection.js";
import type { NodeAddress, Timer } from "../environment.js";
import { Reason } from "../wire/application-messages.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";

const STATUS_CHECK_MS = 2000;
const FIRST_STATUS_CHECK_MS = 5000;
const PROGRESS_MS = 30_000;
const ITEM_MS = 20_000;
const BLOCK_MS = 5000;

/** Drops peers that don't deliver (protocol/peers §9.1). */
export class StatusCheck {
	private timer: Timer | undefined;

	constructor(private readonly world: PeerWorld) {}

	start(): void {
		this.timer = this.world.environment.every(STATUS_CHECK_MS, () => this.check(), FIRST_STATUS_CHECK_MS);
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

const AHEAD_CHECK_MS = 5000;
const FIRST_AHEAD_CHECK_MS = 60_000;
const PATIENCE_MS = 60_000;
const RETRY_MS = 1_200_000;
const REMEMBERED = 10_000;

/** Looks for a peer that is ahead while all that are there are behind (protocol/peers §9.4). */
export class EffectiveCheck {
	private timer: Timer | undefined;
	private readonly tried: Recent;
	private current: { readonly address: NodeAddress; readonly sinceMs: number } | undefined;

	constructor(
		private readonly world: PeerWorld,
		private readonly transport: Transport,
	) {
		this.tried = new Recent(REMEMBERED, RETRY_MS, world.now);
	}

	start(): void {
		if (!this.world.settings.effectiveCheck) return;
		this.timer = this.world.environment.every(AHEAD_CHECK_MS, () => this.check(), FIRST_AHEAD_CHECK_MS);
	}

	stop(): void {
		this.timer?.cancel();
	}

	/** Whether a peer was dialed for this check. */
	isProbe(peer: Peer): boolean {
		const { remote, outgoing } = peer.connection;
		return (
			outgoing && remote.host === this.current?.address.host && remote.port === this.current.address.port
		);
	}

	private check(): void {
		const { peers } = this.world;
		const isShutIn = peers.every((peer) => peer.needSyncFromUs);
		if (!isShutIn) {
			this.current = undefined;
			return;
		}
		if (this.current) {
			if (this.world.now() - this.current.sinceMs < PATIENCE_MS) return;
			const probe = peers.find((peer) => this.isProbe(peer));
			if (probe) this.world.disconnect(probe, Reason.BELOW_THAN_ME, "it is not ahead of us");
			this.current = undefined;
		}
		const inUse = new Set(peers.map((peer) => peer.connection.remote.host));
		const address = this.transport
			.connectable()
			.find(({ host, port }) => !inUse.has(host) && !this.tried.has(`${host} ${port}`));
		if (!address) return;
		this.tried.put(`${address.host} ${address.port}`, true);
		this.current = { address, sinceMs: this.world.now() };
		this.transport.dial(address);
	}
}

const STALL_CHECK_MS = 15_000;
/** Without a block becoming final for this long, something is wrong. */
const STALLED_MS = 60_000;

/**
 * Looks for the rest of the network when nothing is solidified any more. After a partition both sides may have all the
 * connections they want among themselves, and the network's rules let neither look further: the side that lacks the
 * witnesses would stay on its branch forever. That side can tell, for its solidified block stands still.
 */
export class StallCheck {
	private timer: Timer | undefined;
	private solid = -1n;
	private sinceMs: number;

	constructor(
		private readonly world: PeerWorld,
		private readonly transport: Pick<Transport, "connectable" | "dial">,
	) {
		this.sinceMs = world.now();
	}

	start(): void {
		this.timer = this.world.environment.every(STALL_CHECK_MS, () => this.check());
	}

	stop(): void {
		this.timer?.cancel();
	}

	private check(): void {
		const { chain, peers, settings, environment } = this.world;
		const { number } = chain.solid;
		const now = this.world.now();
		if (number !== this.solid) {
			this.solid = number;
			this.sinceMs = now;
			return;
		}
		if (now - this.sinceMs < STALLED_MS || peers.length >= settings.maxConnections) return;
		const connected = new Set(peers.map((peer) => peer.connection.remote.host));
		const others = this.transport.connectable().filter(({ host }) => !connected.has(host));
		const choice = others[Math.floor(environment.random() * others.length)];
		if (choice) this.transport.dial(choice);
	}
}
