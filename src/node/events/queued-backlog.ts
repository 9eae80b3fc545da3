/**
 * A backlog in memory: delivered at most once, as the network's node does. What the receiver can't take in time waits up to a
 * bound, and is lost beyond it; what happens while the node is down is not published (protocol/events §7.3).
 */

import type { ChainObserver } from "../chain/observers.js";
import type { EventConfig } from "../config/event-config.js";
import { type Slice, WorkLine } from "../scheduling/sliced-work.js";
import type { Backlog, Parcel } from "./delivery.js";
import type { EventBudget } from "./event-budget.js";
import { createEventService, FLUSH_MS } from "./event-service.js";
import type { EventChain } from "./loaded-block.js";
import type { EventMessage } from "./receivers/event-message.js";
import type { Publication, Receiver } from "./receivers/receiver.js";

/** Messages, and characters of them, that wait. From the first number on old blocks are not read. */
const MAX_WAITING_MESSAGES = 50_000;
const MAX_CHARACTERS = 64 << 20;
const BUSY_PAUSE_MS = 100;
/** Messages that are taken from the queue at once. */
const MAX_TAKEN = 500;

interface QueuedBacklogOptions {
	readonly name: string;
	/** The topics are those of the receiver. */
	readonly config: EventConfig;
	readonly chain: EventChain;
	readonly receiver: Receiver;
	readonly budget: EventBudget;
	/** Makes the ids of this run others than those of runs before. */
	readonly run: string;
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly slice: () => Slice;
	readonly warn: (text: string) => void;
	readonly report: (error: unknown) => void;
}

export class QueuedBacklog implements Backlog {
	position: number;
	lost = 0;
	private readonly stopping = new AbortController();
	private readonly line: WorkLine;
	private readonly service: ReturnType<typeof createEventService>;
	private queue: Publication[] = [];
	private characters = 0;
	private count = 0;
	private timer: NodeJS.Timeout | undefined;
	private wake: () => void = () => {};

	constructor(private readonly options: QueuedBacklogOptions) {
		const { config, chain, receiver, budget, pause, slice, warn, report } = options;
		this.position = chain.headNumber;
		const { signal } = this.stopping;
		this.line = new WorkLine({ slice, report });
		this.service = createEventService({
			config,
			chain,
			outlet: receiver.publish ? (message) => receiver.publish?.(message) : (message) => this.add(message),
			budget,
			pause: async (ms) => {
				await pause(ms, signal);
				while (this.queue.length >= MAX_WAITING_MESSAGES && !signal.aborted)
					await pause(BUSY_PAUSE_MS, signal);
			},
			warn,
			run: (work) => this.line.add(work),
		});
	}

	get observer(): ChainObserver {
		return this.service.observer;
	}

	get target(): number {
		return this.options.chain.headNumber;
	}

	open(wake: () => void): void {
		const { report } = this.options;
		this.wake = wake;
		const { flush } = this.service;
		const guarded = (): void => {
			try {
				flush?.();
			} catch (error) {
				report(error);
			}
		};
		if (flush) this.timer = setInterval(guarded, FLUSH_MS).unref();
		this.service.start().catch(report);
	}

	async next(): Promise<Parcel | undefined> {
		const publications = this.queue.splice(0, MAX_TAKEN);
		if (publications.length === 0) return undefined;
		const number = publications.reduce((most, { message }) => Math.max(most, numberOf(message)), 0);
		return { publications, block: { number: BigInt(number), idHex: "" } };
	}

	acknowledge({ publications, block }: Parcel): void {
		for (const { message } of publications) this.characters -= message.json.length;
		this.position = Math.max(this.position, Number(block.number));
	}

	reset(): void {}

	close(): void {
		clearInterval(this.timer);
		this.service.stop();
		this.line.stop();
		this.stopping.abort();
	}

	private add(message: EventMessage): void {
		const isFull =
			this.queue.length >= MAX_WAITING_MESSAGES || this.characters + message.json.length > MAX_CHARACTERS;
		if (isFull) {
			if (this.lost++ === 0) this.options.warn(`events of ${this.options.name} are lost: too many wait`);
			return;
		}
		this.queue.push({ message, id: `${this.options.run}-${this.count++}` });
		this.characters += message.json.length;
		this.wake();
	}
}

/** The block that a message is of. */
const numberOf = ({ body }: EventMessage): number =>
	Number(body["blockNumber"] ?? body["latestSolidifiedBlockNumber"]);
