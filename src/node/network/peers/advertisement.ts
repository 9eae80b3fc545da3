/**
 * Gossip of transactions and blocks: ids are announced, new items are requested from one of the announcers,
 * and announced items are served (protocol/peers §8).
 */

import { numberOfBlockId } from "../../../protocol/block.js";
import { fromKey } from "../../../protocol/bytes.js";
import { SLOT_MS } from "../../../protocol/timing.js";
import { Recent } from "../../memory/recent.js";
import type { Timer } from "../environment.js";
import {
	ApplicationType,
	encodeInventory,
	encodeTransactions,
	InventoryKind,
	type InventoryList,
	Reason,
	readBareBlockId,
	type SignedBlock,
	type SignedTransaction,
} from "../wire/application-messages.js";
import { TXS_BYTES } from "../wire/message-kinds.js";
import { BlockFetchWatch } from "./block-fetch-watch.js";
import { FetchQueue } from "./fetch-queue.js";
import { MAX_BLOCKS_ABOVE_HEAD } from "./limits.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";
import { isOfKind, itemKey } from "./recent.js";

/** Delay in milliseconds before fetching or announcing, once there is something to do. */
const STEP_MS = 30;
/** A block that couldn't be announced within this time is outdated. */
const SPREAD_BLOCK_MS = 3000;
const MAX_TO_SPREAD = 1000;
const SEEN_CACHE = 100_000;
const TRANSACTION_CACHE = 50_000;
const HOUR_MS = 3_600_000;
/** Full transactions are kept several times as long as a peer may request them. */
const BODY_MS = 120_000;
const BLOCK_CACHE = 10;
const BLOCK_MS = 60_000;
/** Serving stops for a connection with this much unsent data. */
const MAX_BACKLOG_BYTES = 16 << 20;
const ID_LENGTH = 32;

interface Item {
	readonly kind: InventoryKind;
	readonly id: Uint8Array;
	readonly sinceMs: number;
}

export class Advertisement {
	private readonly toFetch: FetchQueue;
	private readonly toSpread = new Map<string, Item>();
	/** All items announced to us. */
	private readonly announced: Recent;
	/** Ids of transactions that we have relayed or accepted. */
	private readonly knownTransactions: Recent;
	private readonly transactions: Recent<SignedTransaction>;
	private readonly blocks: Recent<SignedBlock>;
	private readonly watch: BlockFetchWatch;
	private fetchTimer: Timer | undefined;
	private spreadTimer: Timer | undefined;
	private stopped = false;

	/** @param isBusy whether too many transactions wait to be looked at */
	constructor(
		private readonly world: PeerWorld,
		private readonly isBusy: () => boolean,
	) {
		const { now, settings } = world;
		this.toFetch = new FetchQueue(now, (key) => this.announced.delete(key));
		this.announced = new Recent(SEEN_CACHE, settings.blockCacheTimeoutMs, now);
		this.knownTransactions = new Recent(TRANSACTION_CACHE, HOUR_MS, now);
		this.transactions = new Recent(TRANSACTION_CACHE, BODY_MS, now);
		this.blocks = new Recent(BLOCK_CACHE, BLOCK_MS, now);
		this.watch = new BlockFetchWatch(world, (peer, id) => this.ask(peer, InventoryKind.BLOCK, [id]));
	}

	/** A peer announces items (protocol/peers §8.1). @throws {Misconduct} */
	receiveInventory(peer: Peer, { kind, ids }: InventoryList): void {
		const isBlock = kind === InventoryKind.BLOCK;
		const { chain, conduct, settings } = this.world;
		conduct.checkRepeated(ids, "Inventory");
		if (!isBlock && kind !== InventoryKind.TX) {
			conduct.unknownInventory(kind);
			return;
		}
		const isTaken = isBlock
			? takesBlocks(peer, ids.length, settings.maxBlocksPerSecond)
			: this.takesTransactions(peer, ids.length);
		if (!isTaken) return;
		if (!peer.isSynced) return;
		if (!isBlock && (this.isUnsolidified || this.isBusy())) return;
		for (const id of ids) {
			if (id.length !== ID_LENGTH) throw new Misconduct(Reason.UNKNOWN, `an id of ${id.length} bytes`);
			const key = itemKey(kind, id);
			peer.announcedToUs.renew(key, true);
			if (isBlock && conduct.isOfUse(peer, id, key, chain.head.number)) peer.touch();
			this.add(peer, kind, id, key);
		}
		if (isBlock) this.fetchStep();
	}

	/** Counts announced transactions; those beyond the ten-second limit are ignored. */
	private takesTransactions(peer: Peer, count: number): boolean {
		const { conduct, settings } = this.world;
		const most = settings.maxTransactionsPerSecond * 10;
		if (peer.transactionCount.total + conduct.countedAhead(count) > most) return false;
		peer.transactionCount.add(count);
		return true;
	}

	private get isUnsolidified(): boolean {
		const { chain, settings } = this.world;
		if (settings.maxUnsolidified === undefined) return false;
		return chain.head.number - chain.solid.number >= BigInt(settings.maxUnsolidified);
	}

	private add(peer: Peer, kind: InventoryKind, id: Uint8Array, key: string): void {
		if (kind === InventoryKind.TX) {
			if (this.world.settings.isFastForward || this.knownTransactions.has(key)) return;
		} else if (this.blocks.has(key) || !this.isPlausible(numberOfBlockId(id))) return;
		else if (!this.announced.has(key) && !this.toFetch.hasRoomForBlock(peer)) return;
		if (this.announced.put(key, true)) this.toFetch.add(peer, kind, id, key);
		else this.toFetch.alsoOffered(peer, key);
		if (this.toFetch.size > 0) this.armFetch();
	}

	/**
	 * Whether a missing block of this height can exist: not final, and no further above our head than the slots
	 * since the last final block allow. A node that was cut off for an hour must still learn of new blocks.
	 */
	private isPlausible(number: bigint): boolean {
		const { head, solid, solidTimestampMs } = this.world.chain;
		if (number <= solid.number) return false;
		const passedMs = BigInt(Math.trunc(this.world.wallClock())) - solidTimestampMs;
		return number <= head.number + MAX_BLOCKS_ABOVE_HEAD || number <= solid.number + 1n + passedMs / SLOT_MS;
	}

	private armFetch(): void {
		if (this.fetchTimer || this.stopped) return;
		this.fetchTimer = this.world.environment.after(STEP_MS, () => {
			this.fetchTimer = undefined;
			this.fetchStep();
		});
	}

	/** Requests announced items (protocol/peers §8.2). */
	private fetchStep(): void {
		const idle = this.world.synced.filter((peer) => peer.isIdle);
		for (const { peer, blocks, transactions } of this.toFetch.assign(idle)) {
			this.ask(peer, InventoryKind.BLOCK, blocks.sort(compareByNumber));
			this.ask(peer, InventoryKind.TX, transactions);
		}
		if (this.toFetch.size > 0) this.armFetch();
	}

	private ask(peer: Peer, kind: InventoryKind, ids: readonly Uint8Array[]): void {
		if (ids.length === 0) return;
		const now = this.world.now();
		for (const id of ids) peer.asked.set(itemKey(kind, id), now);
		if (kind === InventoryKind.BLOCK) this.watch.asked(peer, ids);
		this.world.send(peer, ApplicationType.FETCH_INV_DATA, encodeInventory(kind, ids));
	}

	/** Whether a peer was asked for an item. */
	wasAsked(peer: Peer, kind: InventoryKind, id: Uint8Array): boolean {
		return peer.asked.has(itemKey(kind, id));
	}

	/** A requested item has arrived. */
	arrived(peer: Peer, kind: InventoryKind, id: Uint8Array): void {
		const key = itemKey(kind, id);
		const sinceMs = peer.asked.get(key);
		if (sinceMs === undefined) return;
		peer.asked.delete(key);
		if (kind !== InventoryKind.BLOCK) {
			this.world.meter?.transactionFetched(this.world.now() - sinceMs);
			return;
		}
		peer.fetchLatency.add(this.world.now() - sinceMs);
		this.world.meter?.blockFetched(this.world.now() - sinceMs);
		this.watch.arrived(key);
		if (this.toFetch.size > 0) this.world.environment.soon(() => !this.stopped && this.fetchStep());
	}

	/** Stops waiting for items requested from a peer that won't be accepted from it. */
	giveUp(peer: Peer, kind: InventoryKind): void {
		for (const key of [...peer.asked.keys()]) if (isOfKind(key, kind)) peer.asked.delete(key);
	}

	/** Whether a transaction was seen here in the last hour. */
	knowsTransaction(id: Uint8Array): boolean {
		return this.knownTransactions.has(itemKey(InventoryKind.TX, id));
	}

	/** A block by id, including one that is announced but not applied yet. */
	findBlock(id: Uint8Array): SignedBlock | undefined {
		return this.blocks.get(itemKey(InventoryKind.BLOCK, id)) ?? this.world.chain.block(id);
	}

	/** Whether every id was announced to a peer: then it requests announced items, not those of a sync list. */
	announcedAll(peer: Peer, kind: InventoryKind, ids: readonly Uint8Array[]): boolean {
		return ids.every((id) => peer.announcedByUs.has(itemKey(kind, id)));
	}

	/** Serves announced transactions. @throws {Misconduct} */
	serveTransactions(peer: Peer, ids: readonly Uint8Array[]): void {
		if (!this.announcedAll(peer, InventoryKind.TX, ids)) {
			throw new Misconduct(Reason.BAD_PROTOCOL, "transactions that were not announced");
		}
		let batch: SignedTransaction[] = [];
		let bytes = 0;
		const flush = (): void => {
			if (batch.length > 0) this.world.send(peer, ApplicationType.TXS, encodeTransactions(batch));
			batch = [];
			bytes = 0;
		};
		for (const id of ids) {
			if (peer.connection.backlog > MAX_BACKLOG_BYTES) return;
			const key = itemKey(InventoryKind.TX, id);
			const transaction = this.transactions.get(key) ?? this.world.chain.transaction(id);
			if (!transaction) throw new Misconduct(Reason.FETCH_FAIL, "an announced transaction is gone");
			this.world.conduct.served(peer, key);
			batch.push(transaction);
			bytes += transaction.size;
			if (bytes > TXS_BYTES) flush();
		}
		flush();
	}

	/** Serves announced blocks. @throws {Misconduct} */
	serveBlocks(peer: Peer, ids: readonly Uint8Array[]): void {
		for (const id of ids) {
			if (peer.connection.backlog > MAX_BACKLOG_BYTES) return;
			const block = this.findBlock(id);
			if (!block) throw new Misconduct(Reason.FETCH_FAIL, "an announced block is gone");
			const ref = readBareBlockId(id);
			this.world.conduct.served(peer, itemKey(InventoryKind.BLOCK, id));
			if (peer.bothHave.number < ref.number) peer.setBothHave(ref);
			this.world.send(peer, ApplicationType.BLOCK, block.bytes);
		}
	}

	/** Announces a block at once (protocol/peers §8.5). */
	broadcastBlock(block: SignedBlock): void {
		if (this.world.settings.isFastForward || this.toSpread.size > MAX_TO_SPREAD) return;
		for (const transaction of block.transactions) this.remember(transaction);
		this.blocks.put(itemKey(InventoryKind.BLOCK, block.id), block);
		this.enqueue(InventoryKind.BLOCK, block.id);
		this.spreadStep();
	}

	/** Announces a transaction in the next step. */
	broadcastTransaction(transaction: SignedTransaction): void {
		if (this.world.settings.isFastForward || this.toSpread.size > MAX_TO_SPREAD) return;
		this.remember(transaction);
		this.enqueue(InventoryKind.TX, transaction.id);
	}

	/** Announces a transaction of our own clients immediately. @returns how many peers got the announcement */
	announceOwn(transaction: SignedTransaction): number {
		this.remember(transaction);
		const key = itemKey(InventoryKind.TX, transaction.id);
		const payload = encodeInventory(InventoryKind.TX, [transaction.id]);
		let announced = 0;
		for (const peer of this.world.synced) {
			if (peer.isRelay || peer.announcedToUs.has(key) || !peer.announcedByUs.put(key, true)) continue;
			this.world.send(peer, ApplicationType.INVENTORY, payload);
			announced++;
		}
		return announced;
	}

	private remember(transaction: SignedTransaction): void {
		const key = itemKey(InventoryKind.TX, transaction.id);
		this.knownTransactions.put(key, true);
		this.transactions.put(key, transaction);
	}

	private enqueue(kind: InventoryKind, id: Uint8Array): void {
		this.toSpread.set(itemKey(kind, id), { kind, id, sinceMs: this.world.now() });
		this.armSpread();
	}

	private armSpread(): void {
		if (this.spreadTimer || this.stopped) return;
		this.spreadTimer = this.world.environment.after(STEP_MS, () => {
			this.spreadTimer = undefined;
			this.spreadStep();
		});
	}

	/** Announces waiting items to every synced peer that doesn't know them. */
	spreadStep(): void {
		const peers = this.world.synced;
		if (peers.length === 0 || this.toSpread.size === 0) return;
		const now = this.world.now();
		const items = [...this.toSpread];
		this.toSpread.clear();
		for (const peer of peers) {
			const blocks: Uint8Array[] = [];
			const transactions: Uint8Array[] = [];
			for (const [key, { kind, id, sinceMs }] of items) {
				if (peer.announcedToUs.has(key)) continue;
				if (kind === InventoryKind.BLOCK && now - sinceMs > SPREAD_BLOCK_MS) continue;
				if (kind === InventoryKind.TX && peer.isRelay) continue;
				if (!peer.announcedByUs.put(key, true)) continue;
				(kind === InventoryKind.BLOCK ? blocks : transactions).push(id);
			}
			this.announce(peer, InventoryKind.BLOCK, blocks.sort(compareByNumber));
			this.announce(peer, InventoryKind.TX, transactions);
		}
	}

	private announce(peer: Peer, kind: InventoryKind, ids: readonly Uint8Array[]): void {
		if (ids.length === 0) return;
		this.world.send(peer, ApplicationType.INVENTORY, encodeInventory(kind, ids));
	}

	/** Requests what a departed peer owed from other announcers. */
	peerLeft(peer: Peer): void {
		for (const [key] of peer.asked) {
			// A peer that already delivered it, or is about to, treats a second request as misconduct.
			if (this.isThere(key) || this.world.peers.some((other) => other !== peer && other.asked.has(key)))
				continue;
			const [first, ...others] = this.world.peers.filter(
				(other) => other !== peer && other.announcedToUs.has(key),
			);
			if (!first) {
				this.announced.delete(key);
				continue;
			}
			const kind = isOfKind(key, InventoryKind.BLOCK) ? InventoryKind.BLOCK : InventoryKind.TX;
			this.toFetch.add(first, kind, fromKey(key.slice(1)), key, first.announcedToUs.sinceMs(key));
			for (const other of others) this.toFetch.alsoOffered(other, key, other.announcedToUs.sinceMs(key));
		}
		peer.asked.clear();
		this.watch.peerLeft(peer);
		if (this.toFetch.size > 0) this.armFetch();
	}

	private isThere(key: string): boolean {
		return this.blocks.has(key) || this.knownTransactions.has(key);
	}

	stop(): void {
		this.stopped = true;
		this.fetchTimer?.cancel();
		this.spreadTimer?.cancel();
		this.watch.stop();
	}
}

/** Counts announced blocks; those beyond the ten-second limit are ignored. */
function takesBlocks(peer: Peer, count: number, perSecond: number): boolean {
	if (peer.blockCount.total + count > perSecond * 10) return false;
	peer.blockCount.add(count);
	return true;
}

function compareByNumber(a: Uint8Array, b: Uint8Array): number {
	const difference = numberOfBlockId(a) - numberOfBlockId(b);
	return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
