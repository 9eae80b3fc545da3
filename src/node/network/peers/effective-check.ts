/** Looks for a peer that is ahead while all that are there are behind (protocol/peers §9.4). */

import { Recent } from "../../memory/recent.js";
import type { Transport } from "../connection.js";
import type { NodeAddress, Timer } from "../environment.js";
import { Reason } from "../wire/application-messages.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";

const PERIOD_MS = 5000;
const FIRST_MS = 60_000;
const PATIENCE_MS = 60_000;
const RETRY_MS = 1_200_000;
const REMEMBERED = 10_000;

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
		this.timer = this.world.environment.every(PERIOD_MS, () => this.check(), FIRST_MS);
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
