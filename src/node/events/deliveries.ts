/** The event deliveries of a node: one per configured receiver. */

import { join } from "node:path";
import type { ChainObserver } from "../chain/observers.js";
import { type EventConfig, type ReceiverConfig, rowOf } from "../config/event-config.js";
import { type Slice, WorkLine } from "../scheduling/sliced-work.js";
import { type Backlog, Delivery, type DeliveryCounts, type Parcel, reasonOf } from "./delivery.js";
import { type EventBudget, eventBudget } from "./event-budget.js";
import { createEventService, FLUSH_MS } from "./event-service.js";
import type { EventChain } from "./loaded-block.js";
import type { EventMessage } from "./receivers/event-message.js";
import {
	BROKER_LIMITS,
	type Publication,
	type Receiver,
	type ReceiverListener,
	type SubscriberCounts,
} from "./receivers/receiver.js";
import type { Surroundings } from "./receivers/receiver-row.js";
import { StoredBacklog } from "./stored-backlog.js";

interface DeliveriesOptions {
	readonly config: EventConfig;
	readonly chain: EventChain;
	/** Undefined for an in-memory chain; positions are then in memory too. */
	readonly dataDirectory: string | undefined;
	readonly surroundings: Surroundings;
	/** Unique to this run of the node. */
	readonly run: string;
	/** Resolves after `ms`, or when the signal aborts. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly slice: () => Slice;
	readonly warn: (text: string) => void;
	readonly info: (text: string) => void;
	readonly report: (error: unknown) => void;
}

type RunningDelivery = Pick<Delivery, "observer" | "counts" | "start" | "stop"> & {
	/** Set if the receiver accepts connections. */
	readonly listener: ReceiverListener | undefined;
};

/** Event counters of a node. */
export interface EventCounts {
	/** Counters of the native queue; undefined without one. */
	readonly native: (SubscriberCounts & Pick<DeliveryCounts, "leftOut">) | undefined;
	readonly receivers: readonly DeliveryCounts[];
}

/** @throws {OperatorError} one sentence that contains no secret */
export async function openDeliveries(options: DeliveriesOptions): Promise<readonly RunningDelivery[]> {
	const deliveries: RunningDelivery[] = [];
	try {
		for (const receiver of options.config.receivers) deliveries.push(await openDelivery(receiver, options));
	} catch (error) {
		await Promise.all(deliveries.map((delivery) => delivery.stop()));
		throw error;
	}
	return deliveries;
}

export function eventCounts(deliveries: readonly RunningDelivery[]): EventCounts {
	const queue = deliveries.find(({ listener }) => listener !== undefined);
	const { leftOut = 0 } = queue?.counts ?? {};
	return {
		native: queue?.listener && { ...queue.listener.counts, leftOut },
		receivers: deliveries.filter((delivery) => delivery !== queue).map(({ counts }) => counts),
	};
}

/** Bounds of the queue, in messages and characters. At the first, reading of old blocks pauses. */
const MAX_WAITING_MESSAGES = 50_000;
const MAX_CHARACTERS = 64 << 20;
const BUSY_PAUSE_MS = 100;
/** Messages taken from the queue at once. */
const MAX_TAKEN = 500;

interface QueuedBacklogOptions {
	readonly name: string;
	/** With this receiver's topics. */
	readonly config: EventConfig;
	readonly chain: EventChain;
	readonly receiver: Receiver;
	readonly budget: EventBudget;
	/** Prefix of message ids that makes them unique across runs. */
	readonly run: string;
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly slice: () => Slice;
	readonly warn: (text: string) => void;
	readonly report: (error: unknown) => void;
}

/**
 * An in-memory backlog with at-most-once delivery, like the network's node. Messages queue up to a bound and
 * are dropped beyond it; events that occur while the node is down are not published (protocol/events §7.3).
 */
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

/** Number of the block that a message belongs to. */
const numberOf = ({ body }: EventMessage): number =>
	Number(body["blockNumber"] ?? body["latestSolidifiedBlockNumber"]);

async function openDelivery(of: ReceiverConfig, options: DeliveriesOptions): Promise<RunningDelivery> {
	const { surroundings, chain, dataDirectory, run, pause, slice, warn, info, report } = options;
	const { name, archive, topics, is } = of;
	if (archive !== undefined)
		info(`events of ${name}: what is built in takes the place of ${reasonOf(archive)}`);
	const receiver = await rowOf(is).open(of.config, surroundings);
	const budget = eventBudget(name, warn);
	const config = { ...options.config, topics };
	const common = { name, config, chain, budget, slice, warn, info };
	const around = { name, receiver, budget, pause, warn, info };
	const { listener } = receiver;
	if (!of.hasPosition) {
		const backlog = new QueuedBacklog({ ...common, receiver, run, pause, report });
		return Object.assign(new Delivery({ ...around, backlog }), { listener });
	}
	const files =
		dataDirectory === undefined ? { file: undefined } : filesOf(join(dataDirectory, "events"), of);
	const { isSolid = false } = rowOf(is);
	const limits = receiver.limits ?? BROKER_LIMITS;
	const fromBlock = firstBlock(of, config);
	const backlog = new StoredBacklog({ ...common, ...files, isSolid, limits, fromBlock });
	return Object.assign(new Delivery({ ...around, backlog }), { listener });
}

function firstBlock({ is, fromBlock }: ReceiverConfig, config: EventConfig): number | undefined {
	if (rowOf(is).isSolid) return fromBlock === undefined ? undefined : Number(fromBlock);
	return config.version === 1 && config.startBlock > 0n ? Number(config.startBlock) : undefined;
}

/** Operators name webhooks, so their files get a prefix that avoids collisions. */
function filesOf(
	directory: string,
	{ is, name }: ReceiverConfig,
): { readonly file: string; readonly formerFile: string } {
	return is === "webhook"
		? { file: join(directory, `webhook-${name}.outbox`), formerFile: join(directory, `${name}.position`) }
		: { file: join(directory, `${name}.outbox`), formerFile: join(directory, `${name}.told`) };
}
