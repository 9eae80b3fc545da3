/** The deliveries of a node: one for each receiver that its configuration names. */

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
	/** Undefined: the chain lives in memory, and positions do. */
	readonly dataDirectory: string | undefined;
	readonly surroundings: Surroundings;
	/** Another text in every run. */
	readonly run: string;
	/** Waits so many ms, or until the signal. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly slice: () => Slice;
	readonly warn: (text: string) => void;
	readonly info: (text: string) => void;
	readonly report: (error: unknown) => void;
}

type RunningDelivery = Pick<Delivery, "observer" | "counts" | "start" | "stop"> & {
	/** Of a receiver that others connect to. */
	readonly listener: ReceiverListener | undefined;
};

/** What a node counts of its events. */
export interface EventCounts {
	/** Of the native queue; undefined: there is none. */
	readonly native: (SubscriberCounts & Pick<DeliveryCounts, "leftOut">) | undefined;
	readonly receivers: readonly DeliveryCounts[];
}

/** @throws {OperatorError} one sentence, without a word of any secret */
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

/**
 * A backlog in memory: delivered at most once, as the network's node does. What the receiver can't take in time waits up to a
 * bound, and is lost beyond it; what happens while the node is down is not published (protocol/events §7.3).
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

/** The block that a message is of. */
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

/** The operator names webhooks, so that their files have names of their own. */
function filesOf(
	directory: string,
	{ is, name }: ReceiverConfig,
): { readonly file: string; readonly formerFile: string } {
	return is === "webhook"
		? { file: join(directory, `webhook-${name}.outbox`), formerFile: join(directory, `${name}.position`) }
		: { file: join(directory, `${name}.outbox`), formerFile: join(directory, `${name}.told`) };
}
