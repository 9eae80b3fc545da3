/** State of one peer: what we owe each other. Each part of this directory uses its own group of fields. */

import { Recent } from "../../memory/recent.js";
import type { PeerConnection } from "../connection.js";
import { addressText } from "../environment.js";
import type { BlockRef } from "../local-chain.js";
import type { HelloMessage, InventoryKind } from "../wire/application-messages.js";
import { Offers, Queue } from "./fetch-queue.js";
import { INVENTORY_CACHE, SERVED_CACHE } from "./limits.js";
import { isOfKind, LatencySamples, SlidingCount } from "./recent.js";

/**
 * A node on the losing side of a partition has one such branch, perhaps a few. A peer with one after the
 * other costs memory and a slot, for nothing.
 */
const MAX_ROUNDS = 16;

class BranchRounds {
	private rounds = 0;
	private hasBranch = false;

	/** A block of its list was accepted. */
	accepted(isNew: boolean, movedHead: boolean): void {
		if (movedHead) {
			this.rounds = 0;
			this.hasBranch = false;
		} else if (isNew) this.hasBranch = true;
	}

	/** Its next list arrived. @returns whether it has led to side branches too often */
	next(): boolean {
		if (this.hasBranch) this.rounds++;
		this.hasBranch = false;
		return this.rounds >= MAX_ROUNDS;
	}
}

/** Rate limit for a peer's requests (protocol/peers §7.4): so many per second, with one second of burst. */
export class RateGate {
	private saved = 0;
	/** When the next permit is due, if none is saved. */
	private nextMs: number;

	/**
	 * @param perSecond infinite: there is always a permit
	 * @param now a clock that only goes forward, in milliseconds
	 */
	constructor(
		private readonly perSecond: number,
		private readonly now: () => number,
	) {
		this.nextMs = now();
	}

	/** Takes a permit. @returns false if there is none, and takes none */
	tryTake(): boolean {
		const now = this.now();
		if (now < this.nextMs) return false;
		if (this.perSecond === Number.POSITIVE_INFINITY) return true;
		const intervalMs = 1000 / this.perSecond;
		this.saved = Math.min(this.perSecond, this.saved + (now - this.nextMs) / intervalMs);
		const spent = Math.min(1, this.saved);
		this.saved -= spent;
		this.nextMs = now + (1 - spent) * intervalMs;
		return true;
	}
}

/** Sync state with a peer (protocol/peers §7.6). */
type SyncState =
	/** Nothing agreed yet. */
	| "INIT"
	/** We request blocks from it. */
	| "SYNCING"
	/** It has nothing for us. */
	| "SYNC_COMPLETED";

const HOUR_MS = 3_600_000;

/** How many requests per second a peer may make. */
interface PeerRates {
	readonly summariesPerSecond: number;
	readonly fetchesPerSecond: number;
	readonly disconnectsPerSecond: number;
}

const UNLIMITED: PeerRates = {
	summariesPerSecond: 1e9,
	fetchesPerSecond: 1e9,
	disconnectsPerSecond: 1e9,
};

/** An ordered list of block ids. */
export class BlockQueue extends Queue<BlockRef> {}

export class Peer {
	/** Its application HELLO, once accepted. */
	hello: HelloMessage | undefined;
	/** Number of our head when we sent it our HELLO. */
	greetedAt = 0n;
	/** Its address is a configured relay node. */
	isRelay = false;
	/** It relayed a transaction that no honest peer would relay. */
	isBad = false;
	/** Being disconnected, or gone. */
	isLeaving = false;
	localReason = "";
	remoteReason = "";

	state: SyncState = "INIT";
	needSyncFromPeer = true;
	needSyncFromUs = true;

	/** Blocks still to request from it, ascending. */
	readonly toFetch = new BlockQueue();
	/** Blocks requested from it, ascending, with the time of each request. */
	readonly requested = new Map<string, { readonly block: BlockRef; readonly sinceMs: number }>();
	/** Its blocks that are queued for applying. */
	readonly inProcess = new Set<string>();
	/** A summary that it hasn't answered yet. */
	summary: ReadonlySet<string> | undefined;
	/** Number of blocks after its last list. */
	remain = 0n;
	/** Its list is complete enough to request blocks. */
	fetchAble = false;
	/** The next list may be requested. */
	listArmed = false;
	lastListMs = Number.NEGATIVE_INFINITY;
	lastFetchMs = Number.NEGATIVE_INFINITY;
	/** When it last delivered the first block it owed of a list, or got a request. */
	lastDeliveryMs = 0;
	/** When a block from it was last applied. */
	lastGoodBlockMs = Number.NEGATIVE_INFINITY;
	/** When it last delivered a sync block. */
	lastBlockMs = Number.NEGATIVE_INFINITY;

	/** Tracks where its lists have led. */
	readonly branchRounds = new BranchRounds();

	/** The last block that both are known to have. */
	bothHave: BlockRef;
	bothHaveMs: number;

	/** End of the last list that we sent it. */
	lastListed: BlockRef | undefined;
	readonly served: Recent;
	/** Number of blocks after the last list that we sent it. */
	remainForPeer = 0n;

	readonly announcedToUs: Recent;
	readonly announcedByUs: Recent;
	/** Items requested from it, with the time. */
	readonly asked = new Map<string, number>();
	/** Ids announced in the last ten seconds. */
	readonly transactionCount: SlidingCount;
	readonly blockCount: SlidingCount;
	/** Summaries in the last ten seconds. */
	readonly summaryCount: SlidingCount;
	/** Rate limits for list requests, block requests and disconnect reasons. */
	readonly summaryRate: RateGate;
	readonly fetchRate: RateGate;
	readonly farewellRate: RateGate;
	/** What could be requested from it. */
	readonly offers = new Offers();
	/** Blocks it announced first that are not requested yet. */
	pendingBlocks = 0;
	readonly fetchLatency = new LatencySamples();

	/** When it last did something useful. */
	lastInteractiveMs: number;

	constructor(
		readonly connection: PeerConnection,
		genesis: BlockRef,
		private readonly now: () => number,
		rates: PeerRates = UNLIMITED,
	) {
		this.summaryRate = new RateGate(rates.summariesPerSecond, now);
		this.fetchRate = new RateGate(rates.fetchesPerSecond, now);
		this.farewellRate = new RateGate(rates.disconnectsPerSecond, now);
		this.bothHave = genesis;
		this.bothHaveMs = now();
		this.lastInteractiveMs = now();
		this.served = new Recent(SERVED_CACHE, Number.POSITIVE_INFINITY, now);
		this.announcedToUs = new Recent(INVENTORY_CACHE, HOUR_MS, now);
		this.announcedByUs = new Recent(INVENTORY_CACHE, HOUR_MS, now);
		this.transactionCount = new SlidingCount(now);
		this.blockCount = new SlidingCount(now);
		this.summaryCount = new SlidingCount(now);
	}

	/** Whether blocks and transactions are exchanged with it by announcement (protocol/peers §7.6). */
	get isSynced(): boolean {
		return !this.needSyncFromPeer && !this.needSyncFromUs && !this.isLeaving;
	}

	/** It owes us neither sync blocks nor a list. */
	get isSyncIdle(): boolean {
		return this.requested.size === 0 && this.summary === undefined;
	}

	/** It owes us nothing. */
	get isIdle(): boolean {
		return this.asked.size === 0 && this.isSyncIdle;
	}

	/** Number of items of a kind that it owes us. */
	countAsked(kind: InventoryKind): number {
		let count = 0;
		for (const key of this.asked.keys()) if (isOfKind(key, kind)) count++;
		return count;
	}

	setBothHave(block: BlockRef): void {
		this.bothHave = block;
		this.bothHaveMs = this.now();
	}

	touch(): void {
		this.lastInteractiveMs = this.now();
	}

	/** Address and port, for logs. */
	get name(): string {
		return addressText(this.connection.remote);
	}
}
