/** Periodic checks of the peers (protocol/peers §9). */

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
 * What a peer failed to do in time. A batch of blocks is timed from the last block delivered at its front: a
 * peer that delivers in order isn't dropped because its blocks are large or this node is slow.
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

/** Looks for a peer ahead of us if all current ones are behind (protocol/peers §9.4). */
export class EffectiveCheck {
	private timer: Timer | undefined;
	private readonly tried: Recent;
	private current: { readonly address: NodeAddress; readonly sinceMs: number } | undefined;

	constructor(
		private readonly world: PeerWorld,
		private readonly transport: Pick<Transport, "connectable" | "dnsNodes" | "dial">,
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
		const { transport } = this;
		const address = [...transport.connectable(), ...transport.dnsNodes()].find(
			({ host, port }) => !inUse.has(host) && !this.tried.has(`${host} ${port}`),
		);
		if (!address) return;
		this.tried.put(`${address.host} ${address.port}`, true);
		this.current = { address, sinceMs: this.world.now() };
		this.transport.dial(address);
	}
}

const STALL_CHECK_MS = 15_000;
/** If no block becomes final for this long, something is wrong. */
const STALLED_MS = 60_000;

/**
 * Looks for the rest of the network when finality stalls. After a partition, both sides may have all the
 * connections they want among themselves, and by the network's rules neither looks further: the side lacking
 * witnesses would stay on its branch forever. That side can tell, because its solidified block stands still.
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

const FIRST_ISOLATION_CHECK_MS = 300_000;
const ELIMINATION_MS = 30_000;
const LAN_MS = 10_000;
const ISOLATION_MS = 30_000;
/** No block for this long: the peers may be cut off together with us. */
const ISOLATED_AFTER_MS = 60_000;
/** Unit of a peer's weight in the random choice. */
const WEIGHT_MS = 500;
const MIN_TO_CHOOSE_FROM = 3;
/** Share of connections that an isolated node keeps. */
const KEPT_SHARE = 0.8;

/**
 * Protects against eclipse (protocol/peers §9.3): now and then a peer is dropped to make room for another,
 * more often if we chose all peers ourselves or no block comes from any.
 */
export class Resilience {
	private readonly timers: Timer[] = [];
	private lastBlockMs: number;

	constructor(private readonly world: PeerWorld) {
		this.lastBlockMs = world.now();
	}

	start(): void {
		const { environment, settings } = this.world;
		if (settings.eliminateAtRandom) {
			this.timers.push(environment.every(ELIMINATION_MS, () => this.eliminate(), FIRST_ISOLATION_CHECK_MS));
		}
		this.timers.push(environment.every(LAN_MS, () => this.leaveLan(), FIRST_ISOLATION_CHECK_MS));
		this.timers.push(environment.every(ISOLATION_MS, () => this.breakIsolation(), FIRST_ISOLATION_CHECK_MS));
	}

	stop(): void {
		for (const timer of this.timers) timer.cancel();
	}

	/** A block was stored. */
	blockSaved(): void {
		this.lastBlockMs = this.world.now();
	}

	/** Whether there are peers, but no block from any for a minute. */
	get isIsolated(): boolean {
		return this.world.synced.length > 0 && this.world.now() - this.lastBlockMs >= ISOLATED_AFTER_MS;
	}

	private eliminate(): void {
		const { peers, settings, environment } = this.world;
		if (peers.length < settings.maxConnections) return;
		const synced = this.untrusted((peer) => peer.isSynced);
		if (synced.length >= MIN_TO_CHOOSE_FROM) {
			this.drop(this.weightedChoice(this.world.conduct.eliminable(synced)), Reason.RANDOM_ELIMINATION);
			return;
		}
		const sources = peers.filter((peer) => peer.needSyncFromPeer).length;
		const choice = this.untrusted((peer) =>
			sources >= 2
				? peer.needSyncFromPeer || peer.needSyncFromUs
				: peer.needSyncFromUs && !peer.needSyncFromPeer,
		);
		this.drop(choice[Math.floor(environment.random() * choice.length)], Reason.RANDOM_ELIMINATION);
	}

	/** Random choice: the longer a peer was of no use, the likelier it is dropped. */
	private weightedChoice(peers: readonly Peer[]): Peer | undefined {
		const now = this.world.now();
		const weights = peers.map((peer) => Math.max(Math.ceil((now - peer.lastInteractiveMs) / WEIGHT_MS), 1));
		let point = this.world.environment.random() * weights.reduce((sum, weight) => sum + weight, 0);
		return peers.find((_, i) => {
			point -= weights[i] as number;
			return point < 0;
		});
	}

	/** We dialed every peer: the one that was of no use for longest makes room. */
	private leaveLan(): void {
		const { peers, settings } = this.world;
		const isLan =
			peers.every((peer) => peer.connection.outgoing) && peers.length >= settings.minActiveConnections;
		if (!isLan || peers.length < settings.minConnections) return;
		const [idlest] = byUse(this.untrusted((peer) => peer.isSynced));
		if (!idlest || this.world.now() - idlest.lastInteractiveMs < settings.inactiveThresholdMs) return;
		this.drop(idlest, Reason.BAD_PROTOCOL);
	}

	private breakIsolation(): void {
		if (!this.isIsolated) return;
		const { peers, settings } = this.world;
		const dialed = peers.filter((peer) => peer.connection.outgoing).length;
		if (dialed >= settings.minActiveConnections) {
			this.drop(byUse(this.untrusted((peer) => peer.connection.outgoing))[0], Reason.BAD_PROTOCOL);
		}
		const staying = peers.filter((peer) => !peer.isLeaving).length;
		const surplus = staying - Math.trunc(settings.maxConnections * KEPT_SHARE);
		if (surplus <= 0) return;
		for (const peer of byUse(this.untrusted((each) => !each.connection.outgoing)).slice(0, surplus)) {
			this.drop(peer, Reason.BAD_PROTOCOL);
		}
	}

	private untrusted(condition: (peer: Peer) => boolean): readonly Peer[] {
		return this.world.peers.filter((peer) => !peer.connection.trusted && !peer.isLeaving && condition(peer));
	}

	private drop(peer: Peer | undefined, reason: Reason): void {
		if (peer) this.world.disconnect(peer, reason, "to make room for another peer");
	}
}

/** The least useful first. */
function byUse(peers: readonly Peer[]): readonly Peer[] {
	return [...peers].sort((a, b) => a.lastInteractiveMs - b.lastInteractiveMs);
}
