/**
 * Keeps a node from being shut in (protocol/peers §9.3): at times a peer is dropped so that another one may come, more so if
 * all peers are of our choosing or no block comes from any.
 */

import type { Timer } from "../environment.js";
import { Reason } from "../wire/application-messages.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";

const FIRST_MS = 300_000;
const ELIMINATION_MS = 30_000;
const LAN_MS = 10_000;
const ISOLATION_MS = 30_000;
/** No block for this long: the peers may have been cut off together with us. */
const ISOLATED_AFTER_MS = 60_000;
/** Unit of a peer's weight in the random choice. */
const WEIGHT_MS = 500;
const MIN_TO_CHOOSE_FROM = 3;
/** Share of the connections that an isolated node keeps. */
const KEPT_SHARE = 0.8;

export class Resilience {
	private readonly timers: Timer[] = [];
	private lastBlockMs: number;

	constructor(private readonly world: PeerWorld) {
		this.lastBlockMs = world.now();
	}

	start(): void {
		const { environment, settings } = this.world;
		if (settings.eliminateAtRandom) {
			this.timers.push(environment.every(ELIMINATION_MS, () => this.eliminate(), FIRST_MS));
		}
		this.timers.push(environment.every(LAN_MS, () => this.leaveLan(), FIRST_MS));
		this.timers.push(environment.every(ISOLATION_MS, () => this.breakIsolation(), FIRST_MS));
	}

	stop(): void {
		for (const timer of this.timers) timer.cancel();
	}

	/** A block was saved. */
	blockSaved(): void {
		this.lastBlockMs = this.world.now();
	}

	/** Whether peers are there and none has had a block for a minute. */
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

	/** The longer a peer was of no use, the likelier it goes. */
	private weightedChoice(peers: readonly Peer[]): Peer | undefined {
		const now = this.world.now();
		const weights = peers.map((peer) => Math.max(Math.ceil((now - peer.lastInteractiveMs) / WEIGHT_MS), 1));
		let point = this.world.environment.random() * weights.reduce((sum, weight) => sum + weight, 0);
		return peers.find((_, i) => {
			point -= weights[i] as number;
			return point < 0;
		});
	}

	/** Every peer was dialed by us: the one that was of no use for longest makes room. */
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
