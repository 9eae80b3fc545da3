/**
 * Fast-forward relay (protocol/peers §10): relay nodes push new blocks to the witnesses that produce next,
 * and witnesses stay connected to relay nodes while it is their turn.
 */

import { equalBytes } from "../../../protocol/bytes.js";
import type { Transport } from "../connection.js";
import type { NodeAddress, Timer } from "../environment.js";
import { ApplicationType, InventoryKind, Reason, type SignedBlock } from "../wire/application-messages.js";
import type { PeerWorld } from "./peer-world.js";
import { itemKey } from "./recent.js";

const PERIOD_MS = 100_000;
const FIRST_MS = 30_000;

/** On a relay node: who gets blocks without requesting them. */
export class FastForwardRelay {
	constructor(private readonly world: PeerWorld) {}

	/** Pushes a new block to the next witnesses' synced peers that don't have it. */
	push(block: SignedBlock): void {
		const key = itemKey(InventoryKind.BLOCK, block.id);
		const next = nextWitnesses(
			this.world.chain.activeWitnesses,
			block.witness,
			this.world.settings.maxRelayWitnesses,
		);
		for (const peer of this.world.synced) {
			const address = peer.hello?.address;
			if (!address || !next.some((witness) => equalBytes(witness, address))) continue;
			if (peer.announcedToUs.has(key) || !peer.announcedByUs.put(key, true)) continue;
			this.world.send(peer, ApplicationType.BLOCK, block.bytes);
		}
	}
}

/** The witnesses after a producer in schedule order; all if it isn't one of them. */
export function nextWitnesses(
	active: readonly Uint8Array[],
	producer: Uint8Array,
	count: number,
): readonly Uint8Array[] {
	const at = active.findIndex((each) => equalBytes(each, producer));
	if (at < 0) return active;
	return Array.from(
		{ length: Math.min(count, active.length) },
		(_, i) => active[(at + 1 + i) % active.length] as Uint8Array,
	);
}

/** On a witness: relay nodes are dialed while this node produces, and left when it doesn't. */
export class RelayConnections {
	private timer: Timer | undefined;
	private isRelaying = false;

	/**
	 * @param configured nodes that are always dialed
	 * @param relays relay nodes of the configuration
	 */
	constructor(
		private readonly world: PeerWorld,
		private readonly transport: Pick<Transport, "setConfigured">,
		private readonly configured: () => readonly NodeAddress[],
		private readonly relays: readonly NodeAddress[],
	) {}

	start(): void {
		if (this.relays.length === 0) return;
		const { environment, witnesses } = this.world;
		// Witnesses of an unreachable signer are added later.
		this.timer = environment.every(PERIOD_MS, () => witnesses.length > 0 && this.update(), FIRST_MS);
	}

	stop(): void {
		this.timer?.cancel();
	}

	/** To be called when the configured nodes changed; the relay nodes stay the same. */
	apply(): void {
		const configured = this.configured();
		this.transport.setConfigured(this.isRelaying ? [...configured, ...this.relays] : configured);
	}

	private get isProducing(): boolean {
		const { chain, witnesses, isMaster } = this.world;
		const isActive = witnesses.some(({ witness }) =>
			chain.activeWitnesses.some((each) => equalBytes(each, witness)),
		);
		return isActive && isMaster();
	}

	private update(): void {
		this.isRelaying = this.isProducing;
		this.apply();
		if (this.isRelaying) return;
		for (const peer of [...this.world.peers]) {
			if (peer.isRelay) this.world.disconnect(peer, Reason.NOT_WITNESS, "this node is not producing");
		}
	}
}
