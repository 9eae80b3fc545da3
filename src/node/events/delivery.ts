/**
 * Delivery of messages to one receiver: the next parcel of the backlog is retried with exponential backoff
 * until it is acknowledged. The backlog is either stored on disk, with at-least-once delivery ({@link
 * StoredBacklog}), or an in-memory queue ({@link QueuedBacklog}).
 */

import type { ChainObserver } from "../chain/observers.js";
import type { EventBudget } from "./event-budget.js";
import {
	BROKER_LIMITS,
	type DeliveryLimits,
	type DeliveryPart,
	type Publication,
	type Receiver,
	RefusedError,
} from "./receivers/receiver.js";

const CLOSING_MS = 2_000;
/** Characters of a receiver's failure reason that are logged. */
const MAX_REASON = 300;

/** Messages of consecutive blocks. */
export interface Parcel {
	readonly publications: readonly Publication[];
	/** The block that logs and requests name: the first of a stored backlog, the last of a queue. */
	readonly block: DeliveryPart["block"];
}

/** Messages still to be published to a receiver. */
export interface Backlog<P extends Parcel = Parcel> {
	readonly observer: ChainObserver;
	/** The last block whose messages are all acknowledged. */
	readonly position: number;
	/** The highest block that can be published now. */
	readonly target: number;
	/** Messages dropped because the queue was full. */
	readonly lost: number;
	/** @param wake to call when new messages may be available */
	open(wake: () => void): void;
	/** The next parcel; undefined if there is none now or the signal aborted. */
	next(signal: AbortSignal): Promise<P | undefined>;
	/** Called once the receiver has stored the parcel. */
	acknowledge(parcel: P): void;
	/** Called when building or acknowledging a parcel failed. */
	reset(): void;
	close(): void;
}

interface DeliveryOptions<P extends Parcel> {
	readonly name: string;
	readonly receiver: Receiver;
	readonly backlog: Backlog<P>;
	readonly budget: EventBudget;
	/** Resolves after `ms`, or when the signal aborts. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly warn: (text: string) => void;
	readonly info: (text: string) => void;
}

/** Counters of a delivery. */
export interface DeliveryCounts {
	readonly name: string;
	/** The last block that the receiver acknowledged. */
	readonly position: number;
	/** Blocks above it that are still to be published. */
	readonly lag: number;
	/** Failed delivery attempts. */
	readonly errors: number;
	/** Messages acknowledged by the receiver. */
	readonly sent: number;
	/** Messages refused for good, or dropped by a slow receiver without a stored position. */
	readonly lost: number;
	/** Events that the budget dropped for every receiver. */
	readonly leftOut: number;
}

export class Delivery<P extends Parcel = Parcel> {
	private readonly stopping = new AbortController();
	private readonly limits: DeliveryLimits;
	private running: Promise<void> | undefined;
	private isWoken = false;
	private isStuck = false;
	private errors = 0;
	private sent = 0;
	/** Messages that the receiver refused for good. */
	private refused = 0;

	constructor(private readonly options: DeliveryOptions<P>) {
		this.limits = options.receiver.limits ?? BROKER_LIMITS;
	}

	get observer(): ChainObserver {
		return this.options.backlog.observer;
	}

	get counts(): DeliveryCounts {
		const { name, backlog, budget } = this.options;
		const { position, target } = backlog;
		const { errors, sent } = this;
		const lost = backlog.lost + this.refused;
		return {
			name,
			position,
			lag: Math.max(0, target - position),
			errors,
			sent,
			lost,
			leftOut: budget.leftOut,
		};
	}

	/** Starts with the backlog that is already there. */
	start(): void {
		this.options.backlog.open(() => this.wake());
		this.wake();
	}

	async stop(): Promise<void> {
		const { backlog, receiver, pause } = this.options;
		this.stopping.abort();
		await this.running;
		// A hanging connection must not delay shutdown.
		const closing = receiver.close().catch(() => {});
		await Promise.race([closing, pause(CLOSING_MS, new AbortController().signal)]);
		backlog.close();
	}

	/** Signals that there may be something new to publish. Returns at once. */
	private wake(): void {
		this.isWoken = true;
		if (this.running || this.stopping.signal.aborted) return;
		this.running = this.run().finally(() => {
			this.running = undefined;
		});
	}

	private async run(): Promise<void> {
		// The block that triggered this is processed first.
		await Promise.resolve();
		const { signal } = this.stopping;
		const { name, backlog, warn, info } = this.options;
		while (this.isWoken && !signal.aborted) {
			this.isWoken = false;
			try {
				while (!signal.aborted && (await this.deliverNext(signal))) {
					if (this.isStuck) info(`events of ${name} go on`);
					this.isStuck = false;
				}
			} catch (error) {
				if (signal.aborted) return;
				// Such as a missing block or a full disk: retried with the next block.
				this.errors++;
				backlog.reset();
				if (!this.isStuck) warn(`events of ${name} wait: ${reasonOf(error)}`);
				this.isStuck = true;
			}
		}
	}

	/** @returns whether a parcel was available and delivered */
	private async deliverNext(signal: AbortSignal): Promise<boolean> {
		const { backlog, pause } = this.options;
		const parcel = await backlog.next(signal);
		if (!parcel) return false;
		if (parcel.publications.length === 0) await pause(0, signal);
		else if (!(await this.deliver(parcel, signal))) return false;
		backlog.acknowledge(parcel);
		return true;
	}

	/** @returns false if the signal aborted first */
	private async deliver({ publications, block }: Parcel, signal: AbortSignal): Promise<boolean> {
		const parts = [...inParts(publications, this.limits)];
		for (const [part, some] of parts.entries()) {
			if (!(await this.deliverPart(some, { block, part, parts: parts.length }, signal))) return false;
		}
		return true;
	}

	private async deliverPart(
		publications: readonly Publication[],
		part: DeliveryPart,
		signal: AbortSignal,
	): Promise<boolean> {
		const result = await this.attempt(publications, part, signal);
		if (result === "stopped") return false;
		if (result === "acknowledged") this.sent += publications.length;
		// One message is refused for good and must not block those after it: bisect to find it.
		else if (publications.length === 1) this.refused++;
		else {
			const middle = Math.ceil(publications.length / 2);
			for (const half of [publications.slice(0, middle), publications.slice(middle)])
				if (!(await this.deliverPart(half, part, signal))) return false;
		}
		return true;
	}

	private async attempt(
		publications: readonly Publication[],
		part: DeliveryPart,
		signal: AbortSignal,
	): Promise<"acknowledged" | "refused" | "stopped"> {
		const { name, receiver, pause, warn, info } = this.options;
		const { firstPauseMs, lastPauseMs } = this.limits;
		const where = `block ${part.block.number}`;
		let hasFailed = false;
		for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, lastPauseMs)) {
			try {
				await unlessAborted(receiver.deliver(publications, signal, part), signal);
				if (hasFailed) info(`events of ${name} go on at ${where}`);
				return "acknowledged";
			} catch (error) {
				if (signal.aborted) return "stopped";
				if (error instanceof RefusedError) {
					const [only] = publications.length === 1 ? publications : [];
					if (only)
						warn(`events of ${name}: ${only.id} is left out, since it is refused: ${reasonOf(error)}`);
					return "refused";
				}
				this.errors++;
				if (!hasFailed) warn(`events of ${name} wait at ${where}: ${reasonOf(error)}`);
				hasFailed = true;
			}
			await pause(pauseMs, signal);
		}
		return "stopped";
	}
}

/** Rejects as soon as the signal aborts: a receiver may take long to give up. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
	let stop = (): void => {};
	const aborted = new Promise<never>((_, reject) => {
		stop = () => reject(new Error("stopped"));
	});
	signal.addEventListener("abort", stop);
	try {
		await Promise.race([work, aborted]);
	} finally {
		signal.removeEventListener("abort", stop);
	}
}

/** Splits messages, in order, into parts within the limits of one delivery. */
function* inParts(
	publications: readonly Publication[],
	limits: DeliveryLimits,
): Generator<readonly Publication[]> {
	let part: Publication[] = [];
	let characters = 0;
	for (const one of publications) {
		const { length } = one.message.json;
		if (part.length >= limits.messages || (part.length > 0 && characters + length > limits.characters)) {
			yield part;
			part = [];
			characters = 0;
		}
		part.push(one);
		characters += length;
	}
	if (part.length > 0) yield part;
}

/** The failure reason on one line: a receiver's text may contain anything. */
export function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
	return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
}
