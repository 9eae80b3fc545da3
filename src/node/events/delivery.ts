/**
 * The delivery of messages to one receiver: what its backlog has next is delivered again and again, after longer and longer
 * pauses, until it is acknowledged. The backlog is a stored one, from which nothing is lost and some messages may come
 * twice ({@link StoredBacklog}), or a queue in memory ({@link QueuedBacklog}).
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
/** Of what a receiver says of a failure. */
const MAX_REASON = 300;

/** Messages of blocks that follow each other. */
export interface Parcel {
	readonly publications: readonly Publication[];
	/** The first of the blocks. */
	readonly block: DeliveryPart["block"];
}

/** What is still to be published to a receiver. */
export interface Backlog<P extends Parcel = Parcel> {
	readonly observer: ChainObserver;
	/** The last block of which everything is acknowledged. */
	readonly position: number;
	/** The block up to which there is something to publish now. */
	readonly target: number;
	/** Messages that did not fit. */
	readonly lost: number;
	/** @param wake to be called when there may be something new */
	open(wake: () => void): void;
	/** What comes next; undefined: nothing does now, or the signal came. */
	next(signal: AbortSignal): Promise<P | undefined>;
	/** The receiver has a parcel. */
	acknowledge(parcel: P): void;
	/** Making a parcel failed. */
	reset(): void;
	close(): void;
}

interface DeliveryOptions<P extends Parcel> {
	readonly name: string;
	readonly receiver: Receiver;
	readonly backlog: Backlog<P>;
	readonly budget: EventBudget;
	/** Waits so many ms, or until the signal. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly warn: (text: string) => void;
	readonly info: (text: string) => void;
}

/** What is measured of a delivery. */
export interface DeliveryCounts {
	readonly name: string;
	/** The last block that the receiver has acknowledged. */
	readonly position: number;
	/** Blocks above it that are to be published. */
	readonly lag: number;
	/** Deliveries that failed. */
	readonly errors: number;
	/** Messages that it has acknowledged. */
	readonly sent: number;
	/** Messages that it refused for good, or, without a stored position, was too slow for. */
	readonly lost: number;
	/** Events that could not be published, to no receiver. */
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
	/** Messages that the receiver will never take. */
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

	/** Begins with what came before. */
	start(): void {
		this.options.backlog.open(() => this.wake());
		this.wake();
	}

	async stop(): Promise<void> {
		const { backlog, receiver, pause } = this.options;
		this.stopping.abort();
		await this.running;
		// A connection that hangs doesn't hold up the end of the node.
		const closing = receiver.close().catch(() => {});
		await Promise.race([closing, pause(CLOSING_MS, new AbortController().signal)]);
		backlog.close();
	}

	/** There may be something to publish that was not there before. It returns at once. */
	private wake(): void {
		this.isWoken = true;
		if (this.running || this.stopping.signal.aborted) return;
		this.running = this.run().finally(() => {
			this.running = undefined;
		});
	}

	private async run(): Promise<void> {
		// The block that woke it is finished first.
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
				// A block that is missing or a disk that is full: it is tried again with the next block.
				this.errors++;
				backlog.reset();
				if (!this.isStuck) warn(`events of ${name} wait: ${reasonOf(error)}`);
				this.isStuck = true;
			}
		}
	}

	/** @returns whether there was anything, and it was delivered */
	private async deliverNext(signal: AbortSignal): Promise<boolean> {
		const { backlog, pause } = this.options;
		const parcel = await backlog.next(signal);
		if (!parcel) return false;
		if (parcel.publications.length === 0) await pause(0, signal);
		else if (!(await this.deliver(parcel, signal))) return false;
		backlog.acknowledge(parcel);
		return true;
	}

	/** @returns false: the signal came first */
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
		// One of them will never be taken: it must not hold up all that comes after it. It is found by halves.
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

/** Rejects with the signal: a receiver may take long to give up. */
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

/** Messages in the order in which they are, in parts that one delivery may have. */
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

/** What went wrong as one line: a receiver's words may be anything. */
export function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
	return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
}
