/** The deliveries of a node: one for each receiver that its configuration names. */

import { join } from "node:path";
import { type EventConfig, type ReceiverConfig, rowOf } from "../config/event-config.js";
import type { Slice } from "../scheduling/sliced-work.js";
import { Delivery, type DeliveryCounts, reasonOf } from "./delivery.js";
import { eventBudget } from "./event-budget.js";
import type { EventChain } from "./loaded-block.js";
import { QueuedBacklog } from "./queued-backlog.js";
import { BROKER_LIMITS, type ReceiverListener, type SubscriberCounts } from "./receivers/receiver.js";
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
