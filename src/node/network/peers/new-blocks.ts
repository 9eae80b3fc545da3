/**
 * Announced blocks: relayed as soon as the header is validated, then applied (protocol/peers §8.4). In between, other threads
 * recover signatures while this one serves the block to peers: otherwise each hop would add the full time of applying it.
 */

import { toHex, toKey } from "../../../protocol/bytes.js";
import { judgeAnnounced } from "../../consensus/announced-block.js";
import { type ChainError, MerkleRootError } from "../../rules/errors.js";
import { InventoryKind, Reason, type SignedBlock } from "../wire/application-messages.js";
import type { Advertisement } from "./advertisement.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";
import { itemKey } from "./recent.js";
import type { FastForwardRelay } from "./relay.js";
import type { SyncRequester } from "./sync-requester.js";

/** Blocks that may be queued for applying; one is produced every three seconds. */
const MAX_WAITING = 32;

interface WaitingBlock {
	readonly peer: Peer;
	readonly block: SignedBlock;
	isReady: boolean;
}

/** A Merkle root of another length than 32 bytes is a runtime error in the reference. */
const badRootReason = (error: ChainError): Reason =>
	error instanceof MerkleRootError ? Reason.BAD_BLOCK : Reason.UNKNOWN;

export class NewBlocks {
	/** By id, in order of arrival. */
	private readonly waiting = new Map<string, WaitingBlock>();
	private stopped = false;

	constructor(
		private readonly world: PeerWorld,
		private readonly advertisement: Advertisement,
		private readonly requester: SyncRequester,
		private readonly relay: FastForwardRelay,
	) {}

	/** Handles a block that a peer announced or pushed. @throws {Misconduct} */
	receive(peer: Peer, block: SignedBlock): void {
		const { chain, conduct, settings, log } = this.world;
		const key = itemKey(InventoryKind.BLOCK, block.id);
		if (peer.isRelay) peer.announcedByUs.put(key, true);
		this.advertisement.arrived(peer, InventoryKind.BLOCK, block.id);
		const delayMs = this.world.wallClock() - Number(block.timestampMs);
		this.world.meter?.blockReceived(delayMs);
		const id = toKey(block.id);
		const isWaiting = (parent: Uint8Array): boolean => this.waiting.has(toKey(parent));
		const verdict = judgeAnnounced(chain, block, this.world.wallClock(), isWaiting);
		switch (verdict.kind) {
			case "early":
				throw new Misconduct(Reason.BAD_BLOCK, `block ${block.number} comes before its time`, true);
			case "badRoot":
				throw new Misconduct(badRootReason(verdict.error), verdict.error.message);
			case "badSignature":
				throw new Misconduct(conduct.badBlockSignature, `block ${block.number} is not signed by its witness`);
			case "unknownWitness":
				throw new Misconduct(Reason.UNKNOWN, `the witness of block ${block.number} has no account`);
			case "unlinked":
				if (!this.waiting.has(id)) this.requester.start(peer);
				return;
			case "inactiveWitness":
			case "low":
				return;
			case "good":
		}
		if (this.waiting.has(id) || this.waiting.size >= MAX_WAITING) return;
		this.world.meter?.blockJudged(block, delayMs);
		if (settings.isFastForward) this.relay.push(block);
		else this.advertisement.broadcastBlock(block);
		const entry: WaitingBlock = { peer, block, isReady: false };
		this.waiting.set(id, entry);
		chain.prepare(block).then(
			() => this.ready(entry),
			(error: unknown) => {
				// The chain then checks signatures and fetches its reads itself, just later.
				log.warn({ error: String(error) }, "a block could not be prepared");
				this.ready(entry);
			},
		);
	}

	stop(): void {
		this.stopped = true;
	}

	private ready(entry: WaitingBlock): void {
		entry.isReady = true;
		this.world.environment.soon(() => this.applyReady());
	}

	private applyReady(): void {
		for (const [id, entry] of this.waiting) {
			if (!entry.isReady || this.stopped) return;
			this.waiting.delete(id);
			this.apply(entry);
		}
	}

	private apply({ peer, block }: WaitingBlock): void {
		const { log, peers } = this.world;
		const result = this.world.take(block, false);
		if (result.kind === "unlinked") {
			this.requester.start(peer);
			return;
		}
		if (result.kind !== "accepted") {
			const fields = { number: Number(block.number), id: toHex(block.id), message: result.message };
			log.warn(fields, "announced block refused");
			return;
		}
		peer.lastGoodBlockMs = this.world.now();
		const ref = { id: block.id, number: block.number };
		const key = itemKey(InventoryKind.BLOCK, block.id);
		for (const each of peers) if (each.announcedToUs.has(key)) each.setBothHave(ref);
	}
}
