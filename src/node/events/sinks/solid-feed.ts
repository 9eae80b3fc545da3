/**
 * Feeds a receiver with the events of solidified blocks, one block after the other from its stored position on. Nothing is held but the
 * block that is being delivered: a receiver that is slow or gone finds the rest in the chain's own files later.
 */

import type { SignedBlock } from "../../../protocol/block.js";
import type { EventBudget } from "../event-budget.js";
import type { EventMessage } from "../event-kinds.js";
import type { EventChain } from "../loaded-block.js";
import { inSlices, type TimeSlice, type Work } from "../sliced-work.js";
import { reasonOf } from "./delivering.js";
import type { PositionStore, SinkPosition } from "./position-file.js";
import type { FeedCounts } from "./receiver.js";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Events in one delivery. */
const MOST_EVENTS = 500;

/** Events of one block, or a part of them. */
export interface Delivery {
	readonly block: SignedBlock;
	/** From 0. */
	readonly part: number;
	readonly parts: number;
	readonly events: readonly EventMessage[];
}

interface FeedOptions {
	readonly name: string;
	readonly chain: EventChain;
	readonly positions: PositionStore;
	readonly budget: EventBudget;
	/** The first block for a receiver without a position; undefined: the one after the solidified block. */
	readonly fromBlock: number | undefined;
	/** The events of a block, within a budget; the same whenever it is asked. */
	readonly eventsOf: (block: SignedBlock, budget: EventBudget) => Work<readonly EventMessage[]>;
	readonly slice: () => TimeSlice;
	/** Resolves once the receiver has acknowledged; rejects to be called again. */
	readonly deliver: (delivery: Delivery, signal: AbortSignal) => Promise<void>;
	/** Waits so many ms, or until the signal. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly warn: (text: string) => void;
}

export class SolidFeed {
	private readonly stopping = new AbortController();
	private position: SinkPosition | undefined;
	private next: number;
	private errors = 0;
	private sent = 0;
	private running: Promise<void> | undefined;
	private isWoken = false;
	private isStuck = false;
	/** Counts how often the chain was put back. */
	private generation = 0;

	/** @throws {PositionError} */
	constructor(private readonly options: FeedOptions) {
		const { chain, positions, fromBlock } = options;
		this.position = positions.read();
		this.next = this.position ? this.position.number + 1 : (fromBlock ?? chain.solidNumber + 1);
	}

	get counts(): FeedCounts {
		const position = this.next - 1;
		const lag = Math.max(0, this.options.chain.solidNumber - position);
		const { errors, sent } = this;
		const { name, budget } = this.options;
		return { name, position, lag, errors, sent, lost: 0, leftOut: budget.leftOut };
	}

	/** There may be solidified blocks that were not there before. It returns at once. */
	wake(): void {
		this.isWoken = true;
		if (this.running || this.stopping.signal.aborted) return;
		this.running = this.run().finally(() => {
			this.running = undefined;
		});
	}

	async stop(): Promise<void> {
		this.stopping.abort();
		await this.running;
	}

	private async run(): Promise<void> {
		// The block that woke it is finished first.
		await Promise.resolve();
		const { signal } = this.stopping;
		while (this.isWoken && !signal.aborted) {
			this.isWoken = false;
			try {
				this.checkPosition();
				while (this.next <= this.options.chain.solidNumber && !signal.aborted) {
					await this.tellNext(signal);
					this.isStuck = false;
				}
			} catch (error) {
				if (signal.aborted) return;
				this.errors++;
				// It is tried again with the next block.
				if (!this.isStuck) this.options.warn(`events of ${this.options.name} wait: ${reasonOf(error)}`);
				this.isStuck = true;
			}
		}
	}

	/** A development chain was put back below a block that may have been told: what comes in its place is told, too. */
	rewound(number: number, parentId: string): void {
		if (number >= this.next) return;
		this.generation++;
		this.next = number;
		this.position = { number: number - 1, id: parentId };
		this.options.positions.write(this.position);
	}

	/** The directory may be another one, or a development chain that was put back and killed. */
	private checkPosition(): void {
		const { chain, name, warn } = this.options;
		const { position } = this;
		if (!position || position.number > chain.solidNumber) return;
		if (chain.block(position.number)?.idHex === position.id) return;
		warn(`events of ${name}: block ${position.number} is another one than was told; told again from there`);
		this.position = undefined;
		this.next = position.number;
	}

	private async tellNext(signal: AbortSignal): Promise<void> {
		const { chain, eventsOf, positions, budget, slice } = this.options;
		const block = chain.block(this.next);
		if (!block) throw new Error(`block ${this.next} is not stored`);
		const { generation } = this;
		const events = await inSlices(eventsOf(block, budget), slice(), signal);
		if (!events || generation !== this.generation) return;
		const parts = Math.max(1, Math.ceil(events.length / MOST_EVENTS));
		for (let part = 0; part < parts && events.length > 0; part++) {
			const some = events.slice(part * MOST_EVENTS, (part + 1) * MOST_EVENTS);
			await this.deliver({ block, part, parts, events: some }, signal);
			if (signal.aborted || generation !== this.generation) return;
		}
		this.position = { number: this.next, id: block.idHex };
		positions.write(this.position);
		this.next++;
	}

	/** Again and again until it is acknowledged. */
	private async deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
		const { deliver, pause, warn, name } = this.options;
		for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
			try {
				await deliver(delivery, signal);
				this.sent += delivery.events.length;
				return;
			} catch (error) {
				if (signal.aborted) return;
				this.errors++;
				if (pauseMs === FIRST_PAUSE_MS) {
					warn(`events of ${name} wait at block ${delivery.block.number}: ${reasonOf(error)}`);
				}
			}
			await pause(pauseMs, signal);
		}
	}
}
