/** One peer: what it and we owe each other. Each part of the room reads and writes its own group of fields. */

import { Recent } from "../../memory/recent.js";
import type { PeerConnection } from "../connection.js";
import { addressText } from "../environment.js";
import type { BlockRef } from "../local-chain.js";
import type { HelloMessage, InventoryKind } from "../wire/application-messages.js";
import { Offers, Queue } from "./fetch-queue.js";
import { INVENTORY_CACHE, SERVED_CACHE } from "./limits.js";
import { isOfKind, LatencySamples, SlidingCount } from "./recent.js";

/**
 * A node that was on the losing side of a partition has one such branch, perhaps a few. A peer that has one after the other
 * costs memory and a place, and gives nothing.
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

	/** Its next list came. @returns whether it has led to side branches too often */
	next(): boolean {
		if (this.hasBranch) this.rounds++;
		this.hasBranch = false;
		return this.rounds >= MAX_ROUNDS;
	}
}

/** How often a peer may ask for something (protocol/peers §7.4): so many times a second, and what it saved up of one second. */
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

/** Where synchronising from a peer stands (protocol/peers §7.6). */
type SyncState =
	/** Nothing was agreed yet. */
	| "INIT"
	/** We ask it for blocks. */
	| "SYNCING"
	/** It has nothing for us. */
	| "SYNC_COMPLETED";

const HOUR_MS = 3_600_000;

/** How often a second a peer may ask. */
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
	/** Its application HELLO, once it was accepted. */
	hello: HelloMessage | undefined;
	/** Number of our head when we greeted it. */
	greetedAt = 0n;
	/** Its address is one of the relay nodes of the configuration. */
	isRelay = false;
	/** It relayed a transaction that no honest peer would. */
	isBad = false;
	/** Being disconnected, or gone. */
	isLeaving = false;
	localReason = "";
	remoteReason = "";

	state: SyncState = "INIT";
	needSyncFromPeer = true;
	needSyncFromUs = true;

	/** Blocks that we still want from it, ascending. */
	readonly toFetch = new BlockQueue();
	/** Blocks that it was asked for, ascending, with the time at which each was asked for. */
	readonly requested = new Map<string, { readonly block: BlockRef; readonly sinceMs: number }>();
	/** Blocks of it that wait to be applied. */
	readonly inProcess = new Set<string>();
	/** A summary that it has not answered yet. */
	summary: ReadonlySet<string> | undefined;
	/** Blocks that follow its last list. */
	remain = 0n;
	/** Its list is complete enough to ask for blocks. */
	fetchAble = false;
	/** It may be asked for the next list. */
	listArmed = false;
	lastListMs = Number.NEGATIVE_INFINITY;
	lastFetchMs = Number.NEGATIVE_INFINITY;
	/** When it last delivered the first block that it owed of a list, or was asked for some. */
	lastDeliveryMs = 0;
	/** When a block that it brought was last applied. */
	lastGoodBlockMs = Number.NEGATIVE_INFINITY;
	/** When it last delivered a block of a list. */
	lastBlockMs = Number.NEGATIVE_INFINITY;

	/** Where its lists have led. */
	readonly branchRounds = new BranchRounds();

	/** The last block of which we know that both have it. */
	bothHave: BlockRef;
	bothHaveMs: number;

	/** End of the last list that we gave it. */
	lastListed: BlockRef | undefined;
	readonly served: Recent;
	/** Blocks that follow the last list that we gave it. */
	remainForPeer = 0n;

	readonly announcedToUs: Recent;
	readonly announcedByUs: Recent;
	/** Items that it was asked for, with the time. */
	readonly asked = new Map<string, number>();
	/** Announced ids of the last ten seconds. */
	readonly transactionCount: SlidingCount;
	readonly blockCount: SlidingCount;
	/** Summaries of the last ten seconds. */
	readonly summaryCount: SlidingCount;
	/** How often it may ask for a list, for blocks of one, and be heard with its farewell. */
	readonly summaryRate: RateGate;
	readonly fetchRate: RateGate;
	readonly farewellRate: RateGate;
	/** What it could be asked for. */
	readonly offers = new Offers();
	/** Blocks that it was the first to announce and that wait to be asked for. */
	pendingBlocks = 0;
	readonly fetchLatency = new LatencySamples();

	/** The last time at which it did something useful. */
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

	/** Whether blocks and transactions are announced to it and taken from it (protocol/peers §7.6). */
	get isSynced(): boolean {
		return !this.needSyncFromPeer && !this.needSyncFromUs && !this.isLeaving;
	}

	/** It owes us no block of a list and no list. */
	get isSyncIdle(): boolean {
		return this.requested.size === 0 && this.summary === undefined;
	}

	/** It owes us nothing. */
	get isIdle(): boolean {
		return this.asked.size === 0 && this.isSyncIdle;
	}

	/** How many items of a kind it owes us. */
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

	/** For logs: address and port. */
	get name(): string {
		return addressText(this.connection.remote);
	}
}
