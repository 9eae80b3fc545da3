/** Blocks that come by announcement: passed on as soon as their header is good, then applied (sheet 09 §8.4). */

import { toHex } from "../../../protocol/bytes.js";
import { InventoryKind, Reason, type SignedBlock } from "../wire/application-messages.js";
import type { Advertisement } from "./advertisement.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";
import { itemKey } from "./recent.js";
import type { FastForwardRelay } from "./relay.js";
import type { SyncRequester } from "./sync-requester.js";

/** How far ahead of our clock a new block may be. */
const MAX_AHEAD_MS = 1000n;

export class NewBlocks {
	constructor(
		private readonly world: PeerWorld,
		private readonly advertisement: Advertisement,
		private readonly requester: SyncRequester,
		private readonly relay: FastForwardRelay,
	) {}

	/** Takes in a block that a peer announced, or pushed. @throws {Misconduct} */
	receive(peer: Peer, block: SignedBlock): void {
		const { chain, settings, log } = this.world;
		const key = itemKey(InventoryKind.BLOCK, block.id);
		if (peer.isRelay) peer.announcedByUs.put(key, true);
		this.advertisement.arrived(peer, InventoryKind.BLOCK, block.id);
		this.world.meter?.blockReceived(this.world.now() - Number(block.timestampMs));
		if (block.timestampMs - BigInt(Math.trunc(this.world.now())) > MAX_AHEAD_MS) {
			throw new Misconduct(Reason.BAD_BLOCK, `block ${block.number} comes before its time`);
		}
		switch (chain.judgeHeader(block)) {
			case "badSignature":
				throw new Misconduct(Reason.UNKNOWN, `block ${block.number} is not signed by its witness`);
			case "unknownWitness":
				throw new Misconduct(Reason.UNKNOWN, `the witness of block ${block.number} has no account`);
			case "inactiveWitness":
				return;
			case "good":
		}
		if (!chain.isKnown(block.parentId)) {
			this.requester.start(peer);
			return;
		}
		if (block.number < chain.head.number) return;
		if (settings.isFastForward) this.relay.push(block);
		else this.advertisement.broadcastBlock(block);
		const result = chain.push(block);
		if (result.kind !== "accepted") {
			const message = result.kind === "unlinked" ? "its parent is not known" : result.message;
			log.warn({ number: Number(block.number), id: toHex(block.id), message }, "announced block refused");
			return;
		}
		const ref = { id: block.id, number: block.number };
		for (const each of this.world.peers) if (each.announcedToUs.has(key)) each.setBothHave(ref);
	}
}
