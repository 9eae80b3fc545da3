/**
 * Looks for the rest of the network when nothing is solidified any more. After a partition both sides may have all the
 * connections they want among themselves, and the network's rules let neither look further: the side that lacks the
 * witnesses would stay on its branch forever. That side can tell, for its solidified block stands still.
 */

import type { Transport } from "../connection.js";
import type { Timer } from "../environment.js";
import type { PeerWorld } from "./peer-world.js";

const PERIOD_MS = 15_000;
/** Without a block becoming final for this long, something is wrong. */
const STALLED_MS = 60_000;

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
		this.timer = this.world.environment.every(PERIOD_MS, () => this.check());
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
