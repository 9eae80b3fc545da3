/**
 * Sync: fetches blocks that peers have and we lack (protocol/peers §§7.2, 7.3, 7.5). Each peer is asked for a
 * list of its chain, and for the listed blocks not yet requested elsewhere; blocks are applied in list order.
 *
 * The reference starts after ten seconds and requests once a second. We start immediately and request again
 * as soon as a peer has delivered, but stay below the limit of three requests a second in later releases.
 */

import { equalBytes, toHex, toKey } from "../../../protocol/bytes.js";
import { countField } from "../../../protocol/codec/scan.js";
import { SLOT_MS } from "../../../protocol/timing.js";
import { Recent } from "../../memory/recent.js";
import type { Timer } from "../environment.js";
import type { BlockRef, LocalChain } from "../local-chain.js";
import {
	ApplicationType,
	type BlockList,
	encodeInventory,
	encodeSyncBlockChain,
	INVENTORY_IDS_FIELD,
	InventoryKind,
	Reason,
	type SignedBlock,
} from "../wire/application-messages.js";
import { MAX_LIST_IDS } from "../wire/message-kinds.js";
import { Misconduct } from "./misconduct.js";
import type { BlockQueue, Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";

const FULL_LIST_IDS = 2000;
const MAX_BATCH = 100;
/** A little more than a third of a second between requests of one kind to one peer. */
const REQUEST_SPACING_MS = 340;
/** How much longer a chain may be than elapsed time allows, in milliseconds. */
const FUTURE_MS = 3_600_000n;
const ASSIGNED_CACHE = 10_000;
/** Time limit of a turn of applying blocks, in milliseconds. */
const TURN_MS = 10;
const TURN_BLOCKS = 16;
/** Batch size in bytes, chosen so that it can arrive in time (§9.1 c). */
const BATCH_BYTES = 8 << 20;
const FIRST_BLOCK_BYTES = 2000;
/** Batch size while too much is queued: only what everything else waits for. */
const URGENT_BATCH = 10;

interface QueuedBlock {
	readonly block: SignedBlock;
	readonly peer: Peer;
	readonly bytes: number;
	isReady: boolean;
}

/** Sync progress. */
export interface SyncProgress {
	readonly head: bigint;
	/** Highest block announced to us by a peer. */
	readonly target: bigint;
}

type SummaryChain = Pick<LocalChain, "head" | "lowestForkPoint" | "idAt" | "isOnChain" | "branchTo">;

/**
 * Ids at ever smaller distances, from the lowest height at which a branch may fork off our chain to the last
 * block expected from the peer.
 * @param bothHave the last block of which we know that both have it
 * @param toFetch blocks of the peer that we don't have yet, in order
 * @throws {Misconduct} SYNC_FAIL if that block is on a branch that we can't go back to
 */
export function summarize(chain: SummaryChain, bothHave: BlockRef, toFetch: BlockQueue): BlockRef[] {
	const { fork, noFork } = branchOf(chain, bothHave, toFetch);
	const high = noFork + BigInt(fork.length);
	let low = chain.lowestForkPoint;
	if (low > noFork) throw failed(`block ${noFork} is below ${low}`);
	const top = high + BigInt(toFetch.length);
	const summary: BlockRef[] = [];
	while (low <= top) {
		summary.push(refAt(low));
		low += (top - low + 2n) / 2n;
	}
	return summary;

	function refAt(number: bigint): BlockRef {
		if (number > high) return toFetch.at(Number(number - high) - 1);
		if (number > noFork) return fork[Number(number - noFork) - 1] as BlockRef;
		const id = chain.idAt(number);
		if (!id) throw failed(`block ${number} is not stored`);
		return { id, number };
	}
}

/** The branch of a block, and the height up to which it is the main chain. */
function branchOf(
	chain: SummaryChain,
	block: BlockRef,
	toFetch: BlockQueue,
): { fork: readonly BlockRef[]; noFork: bigint } {
	if (block.number === 0n) return { fork: [], noFork: chain.head.number };
	if (chain.isOnChain(block.id)) {
		// Blocks from other peers may have made it final while the request waited: ask the peer as at the start.
		const isPassed = block.number < chain.lowestForkPoint && toFetch.length === 0;
		return { fork: [], noFork: isPassed ? chain.head.number : block.number };
	}
	const fork = chain.branchTo(block.id);
	const [first] = fork ?? [];
	if (!fork || !first) throw failed(`block ${block.number} is on no branch of this chain`);
	return { fork, noFork: first.number - 1n };
}

function failed(why: string): Misconduct {
	return new Misconduct(Reason.SYNC_FAIL, why);
}

export class SyncRequester {
	/** Blocks requested from a peer, or received and queued. */
	private readonly assigned: Recent;
	private readonly queue = new Map<string, QueuedBlock>();
	private queuedBytes = 0;
	private averageBytes = FIRST_BLOCK_BYTES;
	private timer: Timer | undefined;
	private timerMs = Number.POSITIVE_INFINITY;
	private applying = false;
	private stopped = false;

	/** @param afterApply notified of each block of a list that was applied */
	constructor(
		private readonly world: PeerWorld,
		private readonly afterApply: (block: SignedBlock) => void,
	) {
		this.assigned = new Recent(ASSIGNED_CACHE, world.settings.blockCacheTimeoutMs, world.now);
	}

	/** Starts requesting from a peer, unless already doing so. */
	start(peer: Peer): void {
		if (peer.state === "SYNCING" || peer.isLeaving) return;
		peer.state = "SYNCING";
		peer.needSyncFromPeer = true;
		peer.toFetch.clear();
		peer.remain = 0n;
		peer.setBothHave(this.world.chain.genesis);
		this.next(peer);
	}

	/** Requests a list, unless one is awaited. */
	next(peer: Peer): void {
		if (peer.summary || peer.isLeaving) return;
		const waitMs = peer.lastListMs + REQUEST_SPACING_MS - this.world.now();
		if (waitMs > 0) {
			peer.listArmed = true;
			this.wake(waitMs);
			return;
		}
		peer.listArmed = false;
		let summary: BlockRef[];
		try {
			summary = summarize(this.world.chain, peer.bothHave, peer.toFetch);
		} catch (error) {
			const why = error instanceof Error ? error.message : String(error);
			this.world.disconnect(peer, Reason.SYNC_FAIL, why);
			return;
		}
		peer.lastListMs = this.world.now();
		peer.summary = new Set(summary.map(({ id }) => toKey(id)));
		this.world.send(peer, ApplicationType.SYNC_BLOCK_CHAIN, encodeSyncBlockChain(summary));
	}

	/** Before decoding a list: checks that it was requested and isn't too long. @throws {Misconduct} */
	expectList(peer: Peer, payload: Uint8Array): void {
		const count = countField(payload, INVENTORY_IDS_FIELD);
		if (!peer.summary) throw new Misconduct(Reason.BAD_PROTOCOL, "a list that was not asked for");
		if (count > MAX_LIST_IDS) throw new Misconduct(Reason.BAD_PROTOCOL, "a list that is too long");
	}

	/** A peer's answer to our summary (protocol/peers §7.3). @throws {Misconduct} */
	receiveList(peer: Peer, list: BlockList): void {
		this.checkList(peer, list);
		const { chain } = this.world;
		const { ids, remain } = list;
		peer.fetchAble = false;
		peer.needSyncFromPeer = true;
		peer.summary = undefined;
		if (peer.branchRounds.next()) {
			const why = "its branches end at or below our head again and again";
			this.world.disconnect(peer, Reason.FORKED, why, true);
			return;
		}
		const [first] = ids as readonly [BlockRef];
		if (ids.length === 1 && chain.isKnown(first.id)) {
			peer.state = "SYNC_COMPLETED";
			peer.needSyncFromPeer = false;
			return;
		}
		const firstKey = toKey(first.id);
		const { toFetch } = peer;
		while (toFetch.back && toKey(toFetch.back.id) !== firstKey) toFetch.pop();
		toFetch.push(...ids.slice(1));
		peer.remain = remain;
		this.passKnown(peer);
		peer.fetchAble = true;
		const isComplete =
			(remain === 0n && toFetch.length > 0) ||
			(remain !== 0n && toFetch.length > this.world.settings.syncFetchBatch);
		if (isComplete) this.wake(0);
		else this.next(peer);
	}

	/** Drops blocks that we have meanwhile from the front of a peer's list. */
	private passKnown(peer: Peer): void {
		const { toFetch } = peer;
		for (let front = toFetch.front; front && this.world.chain.isKnown(front.id); front = toFetch.front) {
			toFetch.shift();
			peer.setBothHave(front);
		}
	}

	private checkList(peer: Peer, { ids, remain }: BlockList): void {
		const refuse = (why: string) => new Misconduct(Reason.BAD_PROTOCOL, why);
		if (!peer.summary) throw refuse("a list that was not asked for");
		const [first] = ids;
		if (!first) throw refuse("an empty list");
		if (ids.length > MAX_LIST_IDS) throw refuse(`a list of ${ids.length} ids`);
		if (remain !== 0n && ids.length < FULL_LIST_IDS)
			throw refuse(`${ids.length} ids, though ${remain} follow`);
		for (const [at, { number }] of ids.entries()) {
			if (number !== first.number + BigInt(at)) throw refuse("a list with a gap");
		}
		if (!peer.summary.has(toKey(first.id))) throw refuse("a list that doesn't begin in our summary");
		const { chain } = this.world;
		if (chain.head.number > 0n) {
			const passed = FUTURE_MS + BigInt(Math.trunc(this.world.wallClock())) - chain.solidTimestampMs;
			const highest = passed / SLOT_MS + chain.solid.number;
			const last = first.number + BigInt(ids.length - 1) + remain;
			if (last > highest) throw refuse(`block ${last}, though there can't be more than ${highest}`);
		}
	}

	/** Whether a block was requested from a peer to follow its list. */
	awaits(peer: Peer, id: Uint8Array): boolean {
		return peer.requested.has(toKey(id));
	}

	/** Handles such a block (protocol/peers §7.5). @param bytes its size */
	receiveBlock(peer: Peer, block: SignedBlock, bytes: number): void {
		const key = toKey(block.id);
		const [firstOwed] = peer.requested.keys();
		peer.requested.delete(key);
		peer.inProcess.add(key);
		peer.lastBlockMs = this.world.now();
		// All peers wait for the first one, and a node that has blocks serves them in order.
		if (key === firstOwed) peer.lastDeliveryMs = peer.lastBlockMs;
		this.averageBytes = this.averageBytes * 0.95 + bytes * 0.05;
		const entry: QueuedBlock = { block, peer, bytes, isReady: false };
		this.drop(key);
		this.queue.set(key, entry);
		this.queuedBytes += bytes;
		this.world.chain.prepare(block).then(
			() => this.ready(entry),
			(error: unknown) => {
				// The chain then checks signatures and fetches its reads itself, just later.
				this.world.log.warn({ error: String(error) }, "a block could not be prepared");
				this.ready(entry);
			},
		);
		if (!peer.isSyncIdle) return;
		if (peer.remain > 0n && peer.toFetch.length <= this.world.settings.syncFetchBatch) this.next(peer);
		else this.wake(0);
	}

	private ready(entry: QueuedBlock): void {
		entry.isReady = true;
		this.applySoon();
	}

	private applySoon(): void {
		if (this.applying || this.stopped) return;
		this.applying = true;
		this.world.environment.soon(() => {
			this.applying = false;
			if (!this.stopped) this.applyTurn();
		});
	}

	/** Applies blocks at the front of a peer's list, for a limited time. */
	private applyTurn(): void {
		const startMs = this.world.now();
		for (let count = 0; count < TURN_BLOCKS; count++) {
			const key = this.firstReady();
			if (key === undefined) {
				this.dropFinal();
				this.wake(0);
				return;
			}
			this.apply(key);
			if (this.world.now() - startMs >= TURN_MS) break;
		}
		this.applySoon();
		this.wake(0);
	}

	private firstReady(): string | undefined {
		for (const { toFetch, isLeaving } of this.world.peers) {
			if (!toFetch.front || isLeaving) continue;
			const key = toKey(toFetch.front.id);
			if (this.queue.get(key)?.isReady) return key;
		}
		return undefined;
	}

	private apply(key: string): void {
		const { block, peer: from } = this.queue.get(key) as QueuedBlock;
		this.drop(key);
		from.inProcess.delete(key);
		const { chain, log } = this.world;
		const headBefore = chain.head.id;
		const result = chain.isKnown(block.id)
			? ({ kind: "accepted", isNew: false } as const)
			: this.world.take(block, true);
		if (result.kind === "forged") {
			this.assigned.delete(key);
			this.world.disconnect(from, Reason.BAD_BLOCK, result.message);
			return;
		}
		if (result.kind === "accepted") {
			from.lastGoodBlockMs = this.world.now();
			from.branchRounds.accepted(result.isNew, !equalBytes(headBefore, chain.head.id));
		} else {
			this.assigned.delete(key);
			const message = result.kind === "failed" ? result.message : "its parent is not known";
			log.warn({ number: Number(block.number), id: toHex(block.id), message }, "block refused");
		}
		const ref = { id: block.id, number: block.number };
		for (const peer of [...this.world.peers]) {
			if (!peer.toFetch.front || toKey(peer.toFetch.front.id) !== key) continue;
			peer.toFetch.shift();
			if (result.kind !== "accepted") {
				// A missing parent, or one below our finalized block, shows a lost branch, not a lying peer.
				const isLost = result.kind === "unlinked" || result.isLostBranch === true;
				this.world.disconnect(peer, Reason.BAD_BLOCK, "a block of its list is not valid", isLost);
				continue;
			}
			peer.setBothHave(ref);
			if (peer.toFetch.length === 0 && peer.fetchAble) this.next(peer);
		}
		if (result.kind === "accepted") this.afterApply(block);
	}

	/** Drops blocks at heights that are final here: they can never be applied. */
	private dropFinal(): void {
		const solid = this.world.chain.solid.number;
		for (const [key, { block, peer }] of this.queue) {
			if (block.number > solid) continue;
			this.drop(key);
			peer.inProcess.delete(key);
		}
	}

	private drop(key: string): void {
		const entry = this.queue.get(key);
		if (!entry) return;
		this.queue.delete(key);
		this.queuedBytes -= entry.bytes;
	}

	/** A peer left: what it owed and delivered may come from others. */
	peerLeft(peer: Peer): void {
		for (const key of peer.requested.keys()) this.assigned.delete(key);
		for (const [key, entry] of this.queue) {
			if (entry.peer !== peer) continue;
			this.drop(key);
			this.assigned.delete(key);
		}
		this.wake(0);
	}

	stop(): void {
		this.stopped = true;
		this.timer?.cancel();
	}

	/** Undefined: nothing is missing. */
	get progress(): SyncProgress | undefined {
		let target = 0n;
		for (const { toFetch, remain, needSyncFromPeer } of this.world.peers) {
			const last = needSyncFromPeer ? toFetch.back : undefined;
			if (last && last.number + remain > target) target = last.number + remain;
		}
		const head = this.world.chain.head.number;
		return target > head ? { head, target } : undefined;
	}

	private wake(delayMs: number): void {
		if (this.stopped) return;
		const atMs = this.world.now() + delayMs;
		if (this.timer && this.timerMs <= atMs) return;
		this.timer?.cancel();
		this.timerMs = atMs;
		this.timer = this.world.environment.after(delayMs, () => {
			this.timer = undefined;
			this.timerMs = Number.POSITIVE_INFINITY;
			this.request();
		});
	}

	/** Sends every peer the requests that are currently allowed. */
	private request(): void {
		for (const peer of [...this.world.peers]) {
			if (peer.listArmed) this.next(peer);
			else this.fetchFrom(peer);
		}
	}

	/** Requests the next blocks of a peer's list not yet requested elsewhere (protocol/peers §7.4). */
	private fetchFrom(peer: Peer): void {
		const { toFetch } = peer;
		if (!peer.needSyncFromPeer || !peer.fetchAble || !peer.isSyncIdle || toFetch.length === 0) return;
		if (peer.isLeaving) return;
		const now = this.world.now();
		const waitMs = peer.lastFetchMs + REQUEST_SPACING_MS - now;
		if (waitMs > 0) {
			this.wake(waitMs);
			return;
		}
		this.passKnown(peer);
		if (toFetch.length === 0) {
			this.next(peer);
			return;
		}
		// The front is requested even if too much is queued, so it is released before the limit is known.
		this.releaseForgotten(toFetch.at(0));
		const limit = this.batchLimit(peer);
		const batch: BlockRef[] = [];
		for (let at = 0; at < toFetch.length && batch.length < limit; at++) {
			const block = toFetch.at(at);
			const key = toKey(block.id);
			if (at > 0 && at < limit) this.releaseForgotten(block);
			if (peer.inProcess.has(key) || !this.assigned.put(key, true)) continue;
			peer.requested.set(key, { block, sinceMs: now });
			batch.push(block);
		}
		if (batch.length === 0) return;
		peer.lastFetchMs = now;
		peer.lastDeliveryMs = now;
		const ids = batch.map(({ id }) => id);
		this.world.send(peer, ApplicationType.FETCH_INV_DATA, encodeInventory(InventoryKind.BLOCK, ids));
	}

	/** A failed reorg makes the chain forget good blocks along with the bad one: they may be requested again. */
	private releaseForgotten({ id, number }: BlockRef): void {
		const { chain, peers } = this.world;
		const key = toKey(id);
		const isAwaited = this.queue.has(key) || peers.some(({ requested }) => requested.has(key));
		if (!isAwaited && number > chain.solid.number && !chain.isKnown(id)) this.assigned.delete(key);
	}

	/** How many blocks may be requested within the queue limits. */
	private batchLimit(peer: Peer): number {
		const outstanding = this.world.peers.reduce((sum, { requested }) => sum + requested.size, 0);
		const room = this.world.settings.maxQueuedBytes - this.queuedBytes - outstanding * this.averageBytes;
		// More may be queued elsewhere; the reference's count doesn't include those places.
		const free = this.world.settings.maxRequestedBlocks - outstanding;
		const limit = Math.min(MAX_BATCH, free, Math.floor(Math.min(room, BATCH_BYTES) / this.averageBytes));
		const front = peer.toFetch.front;
		const isFrontFree = front !== undefined && !this.assigned.has(toKey(front.id));
		return isFrontFree ? Math.max(limit, URGENT_BATCH) : limit;
	}
}
