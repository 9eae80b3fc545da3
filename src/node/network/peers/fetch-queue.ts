/**
 * Schedules requests for announced items: each goes to one idle peer that announced it recently (protocol/peers §8.2).
 *
 * Every peer has a queue of its offers, and a step takes from the queues of idle ones: its cost depends on
 * what it requests, not on how much was announced.
 */

import { InventoryKind } from "../wire/application-messages.js";
import { MAX_OFFERED_BLOCKS, MAX_OFFERED_TRANSACTIONS, MAX_PENDING_BLOCKS } from "./limits.js";
import type { Peer } from "./peer.js";

/** A queue with constant-time removal at both ends. */
export class Queue<T> {
	private items: T[] = [];
	private head = 0;

	get length(): number {
		return this.items.length - this.head;
	}

	/** The next item; undefined if there is none. */
	get front(): T | undefined {
		return this.items[this.head];
	}

	get back(): T | undefined {
		return this.length > 0 ? this.items.at(-1) : undefined;
	}

	at(index: number): T {
		return this.items[this.head + index] as T;
	}

	push(...items: readonly T[]): void {
		for (const item of items) this.items.push(item);
	}

	shift(): void {
		if (this.length === 0) return;
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

/** How long an announced item is still requested, in milliseconds: five blocks. */
const VALID_MS = 15_000;
const MAX_ASKED_PER_STEP = 1000;

/** An item that we lack. */
interface WantedItem {
	readonly kind: InventoryKind;
	readonly id: Uint8Array;
	readonly key: string;
	readonly sinceMs: number;
	/** Its first announcer. */
	readonly by: Peer;
	/** It was requested, or forgotten. */
	isOver: boolean;
}

interface Offer {
	readonly item: WantedItem;
	readonly sinceMs: number;
}

/** What could be requested from a peer, oldest first. */
export class Offers {
	readonly blocks = new Queue<Offer>();
	readonly transactions = new Queue<Offer>();
}

/** What to request from a peer. */
interface Assignment {
	readonly peer: Peer;
	readonly blocks: Uint8Array[];
	readonly transactions: Uint8Array[];
}

export class FetchQueue {
	private readonly wanted = new Map<string, WantedItem>();
	private readonly byAge = new Queue<WantedItem>();

	/** @param forgotten called with items that no peer could be asked for in time */
	constructor(
		private readonly now: () => number,
		private readonly forgotten: (key: string) => void,
	) {}

	get size(): number {
		return this.wanted.size;
	}

	/** Whether one more block may be queued on behalf of this peer. */
	hasRoomForBlock(peer: Peer): boolean {
		return peer.pendingBlocks < MAX_PENDING_BLOCKS;
	}

	/** A missing item was announced for the first time. */
	add(peer: Peer, kind: InventoryKind, id: Uint8Array, key: string, offeredMs = this.now()): void {
		const item: WantedItem = { kind, id, key, sinceMs: this.now(), by: peer, isOver: false };
		this.wanted.set(key, item);
		this.byAge.push(item);
		if (kind === InventoryKind.BLOCK) peer.pendingBlocks++;
		this.offer(peer, item, offeredMs);
	}

	/** Another peer announces an item that may be wanted. */
	alsoOffered(peer: Peer, key: string, sinceMs = this.now()): void {
		const item = this.wanted.get(key);
		if (item && item.by !== peer) this.offer(peer, item, sinceMs);
	}

	/** Distributes requests among idle peers in turn; they are in order of preference. */
	assign(idle: readonly Peer[]): readonly Assignment[] {
		const now = this.now();
		this.forgetOld(now);
		const all: Assignment[] = idle.map((peer) => ({ peer, blocks: [], transactions: [] }));
		for (let taking: readonly Assignment[] = all; taking.length > 0; ) {
			taking = taking.filter((assignment) => this.assignOne(assignment, now));
		}
		return all;
	}

	private assignOne({ peer, blocks, transactions }: Assignment, now: number): boolean {
		if (blocks.length + transactions.length >= MAX_ASKED_PER_STEP) return false;
		const item = nextOf(peer.offers.blocks, now) ?? nextOf(peer.offers.transactions, now);
		if (!item) return false;
		(item.kind === InventoryKind.BLOCK ? blocks : transactions).push(item.id);
		this.end(item);
		return true;
	}

	private offer(peer: Peer, item: WantedItem, sinceMs: number): void {
		const isBlock = item.kind === InventoryKind.BLOCK;
		const queue = isBlock ? peer.offers.blocks : peer.offers.transactions;
		const most = isBlock ? MAX_OFFERED_BLOCKS : MAX_OFFERED_TRANSACTIONS;
		if (queue.length >= most) dropUseless(queue, this.now());
		if (queue.length < most) queue.push({ item, sinceMs });
	}

	private forgetOld(now: number): void {
		for (let item = this.byAge.front; item; item = this.byAge.front) {
			if (!item.isOver && now - item.sinceMs <= VALID_MS) return;
			this.byAge.shift();
			if (item.isOver) continue;
			this.end(item);
			this.forgotten(item.key);
		}
	}

	private end(item: WantedItem): void {
		item.isOver = true;
		if (this.wanted.get(item.key) === item) this.wanted.delete(item.key);
		if (item.kind === InventoryKind.BLOCK) item.by.pendingBlocks--;
	}
}

/** Drops unwanted or outdated offers at the front. */
function dropUseless(queue: Queue<Offer>, now: number): void {
	for (let offer = queue.front; offer; offer = queue.front) {
		if (!offer.item.isOver && now - offer.sinceMs < VALID_MS) return;
		queue.shift();
	}
}

function nextOf(queue: Queue<Offer>, now: number): WantedItem | undefined {
	dropUseless(queue, now);
	const item = queue.front?.item;
	queue.shift();
	return item;
}
