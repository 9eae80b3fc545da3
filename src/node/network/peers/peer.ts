/** One peer: what it and we owe each other. Each part of the room reads and writes its own group of fields. */

import { Recent } from "../../memory/recent.js";
import type { PeerConnection } from "../connection.js";
import { addressText } from "../environment.js";
import type { BlockRef } from "../local-chain.js";
import type { HelloMessage, InventoryKind } from "../wire/application-messages.js";
import { isOfKind, LatencySamples, SlidingCount } from "./recent.js";

/** Where synchronising from a peer stands (sheet 09 §7.6). */
export type SyncState =
	/** Nothing was agreed yet. */
	| "INIT"
	/** We ask it for blocks. */
	| "SYNCING"
	/** It has nothing for us. */
	| "SYNC_COMPLETED";

/** A summary that waits for its answer. */
export interface SentSummary {
	readonly ids: ReadonlySet<string>;
	readonly sentMs: number;
}

const HOUR_MS = 3_600_000;
/** Announcements remembered a peer and direction. */
const INVENTORY_CACHE = 20_000;
/** Ids of blocks that were served; older ones may be asked for again. */
const SERVED_CACHE = 4000;

/** An ordered list of block ids that is taken from at its front and cut at its end. */
export class BlockQueue {
	private items: BlockRef[] = [];
	private head = 0;

	get length(): number {
		return this.items.length - this.head;
	}

	/** The next id; undefined if there is none. */
	get front(): BlockRef | undefined {
		return this.items[this.head];
	}

	get back(): BlockRef | undefined {
		return this.length > 0 ? this.items.at(-1) : undefined;
	}

	at(index: number): BlockRef {
		return this.items[this.head + index] as BlockRef;
	}

	push(...blocks: readonly BlockRef[]): void {
		for (const block of blocks) this.items.push(block);
	}

	shift(): void {
		this.head++;
		if (this.head > 1024 && this.head * 2 > this.items.length) {
			this.items = this.items.slice(this.head);
			this.head = 0;
		}
	}

	pop(): void {
		if (this.length > 0) this.items.pop();
	}

	clear(): void {
		this.items = [];
		this.head = 0;
	}
}

export class Peer {
	/** Its application HELLO, once it was accepted. */
	hello: HelloMessage | undefined;
	/** Number of our head when we greeted it. */
	greetedAt = 0n;
	/** Its address is one of the relay nodes of the configuration. */
	isRelay = false;
	/** A transaction of it was one that nobody should have passed on. */
	isBad = false;
	/** Told to go, or gone. */
	isLeaving = false;
	localReason = "";
	remoteReason = "";

	state: SyncState = "INIT";
	needSyncFromPeer = true;
	needSyncFromUs = true;

	/** Blocks that we still want from it, ascending. */
	readonly toFetch = new BlockQueue();
	/** Blocks that it was asked for, with the time at which each was asked for. */
	readonly requested = new Map<string, { readonly block: BlockRef; readonly sinceMs: number }>();
	/** Blocks of it that wait to be applied. */
	readonly inProcess = new Set<string>();
	/** A summary that it has not answered yet. */
	summary: SentSummary | undefined;
	/** Blocks that follow its last list. */
	remain = 0n;
	/** Its list is complete enough to ask for blocks. */
	fetchAble = false;
	/** It may be asked for the next blocks of its list. */
	fetchArmed = false;
	/** It may be asked for the next list. */
	listArmed = false;
	lastListMs = Number.NEGATIVE_INFINITY;
	lastFetchMs = Number.NEGATIVE_INFINITY;
	/** When it last delivered a block of a list, or was asked for some. */
	lastDeliveryMs = 0;

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
	readonly transactionCount: SlidingCount;
	readonly fetchLatency = new LatencySamples();

	/** The last time at which it did something useful. */
	lastInteractiveMs: number;

	constructor(
		readonly connection: PeerConnection,
		genesis: BlockRef,
		private readonly now: () => number,
	) {
		this.bothHave = genesis;
		this.bothHaveMs = now();
		this.lastInteractiveMs = now();
		this.served = new Recent(SERVED_CACHE, Number.POSITIVE_INFINITY, now);
		this.announcedToUs = new Recent(INVENTORY_CACHE, HOUR_MS, now);
		this.announcedByUs = new Recent(INVENTORY_CACHE, HOUR_MS, now);
		this.transactionCount = new SlidingCount(now);
	}

	/** Whether blocks and transactions are announced to it and taken from it (sheet 09 §7.6). */
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
