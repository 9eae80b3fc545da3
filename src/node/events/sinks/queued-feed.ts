/**
 * Feeds a receiver as the native queue feeds its subscribers: without a stored position. What it can't take in time waits up to a
 * bound, and is lost beyond it; what happens while the node is down is not told (protocol/events §7.3).
 */

import type { ChainObserver } from "../../chain/observers.js";
import type { EventMessage } from "../event-kinds.js";
import { createEventService, FLUSH_MS } from "../event-service.js";
import { WorkLine } from "../sliced-work.js";
import { closeReceiver, Deliverer } from "./delivering.js";
import type { FeedCounts, Told } from "./receiver.js";
import type { Feed, FeedOptions } from "./told-feed.js";

/** Messages, and characters of them, that wait. From the first number on old blocks are not read. */
const MOST_WAITING = 50_000;
const MOST_CHARACTERS = 64 << 20;
const BUSY_PAUSE_MS = 100;
/** Messages that are taken from the queue at once. */
const MOST_TAKEN = 500;

interface QueuedFeedOptions extends FeedOptions {
	/** Makes the ids of this run others than those of runs before. */
	readonly run: string;
	readonly report: (error: unknown) => void;
}

export class QueuedFeed implements Feed {
	private readonly stopping = new AbortController();
	private readonly deliverer: Deliverer;
	private readonly line: WorkLine;
	private readonly service: ReturnType<typeof createEventService>;
	private queue: Told[] = [];
	private characters = 0;
	private count = 0;
	private lost = 0;
	private timer: NodeJS.Timeout | undefined;
	private running: Promise<void> | undefined;
	private position: number;

	constructor(private readonly options: QueuedFeedOptions) {
		const { name, config, chain, receiver, budget, pause, slice, warn, info, report } = options;
		this.deliverer = new Deliverer({ name, receiver, pause, warn, info });
		this.position = chain.headNumber;
		const { signal } = this.stopping;
		this.line = new WorkLine({ slice, report });
		this.service = createEventService({
			config,
			chain,
			outlet: (message) => this.add(message),
			budget,
			pause: async (ms) => {
				await pause(ms, signal);
				while (this.queue.length >= MOST_WAITING && !signal.aborted) await pause(BUSY_PAUSE_MS, signal);
			},
			warn,
			run: (work) => this.line.add(work),
		});
	}

	get observer(): ChainObserver {
		return this.service.observer;
	}

	get counts(): FeedCounts {
		const { name, chain, budget } = this.options;
		const { errors, sent, refused } = this.deliverer;
		const { position } = this;
		const lost = this.lost + refused;
		const lag = Math.max(0, chain.headNumber - position);
		return { name, position, lag, errors, sent, lost, leftOut: budget.leftOut };
	}

	start(): void {
		const { report } = this.options;
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

	async stop(): Promise<void> {
		clearInterval(this.timer);
		this.service.stop();
		this.line.stop();
		this.stopping.abort();
		await this.running;
		await closeReceiver(this.options.receiver, this.options.pause);
	}

	private add(message: EventMessage): void {
		const isFull =
			this.queue.length >= MOST_WAITING || this.characters + message.json.length > MOST_CHARACTERS;
		if (isFull) {
			if (this.lost++ === 0) this.options.warn(`events of ${this.options.name} are lost: too many wait`);
			return;
		}
		this.queue.push({ message, id: `${this.options.run}-${this.count++}` });
		this.characters += message.json.length;
		this.running ??= this.run().finally(() => {
			this.running = undefined;
		});
	}

	private async run(): Promise<void> {
		await Promise.resolve();
		const { signal } = this.stopping;
		while (this.queue.length > 0 && !signal.aborted) {
			const taken = this.queue.splice(0, MOST_TAKEN);
			const number = Math.max(...taken.map(({ message }) => numberOf(message)));
			if (!(await this.deliverer.deliver(taken, `block ${number}`, signal))) return;
			for (const { message } of taken) this.characters -= message.json.length;
			this.position = Math.max(this.position, number);
		}
	}
}

/** The block that a message is of. */
const numberOf = ({ body }: EventMessage): number =>
	Number(body["blockNumber"] ?? body["latestSolidifiedBlockNumber"]);
