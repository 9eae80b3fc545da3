/** The events of a running node: who is told of the chain, and how. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Dialect } from "../protocol/dialect.js";
import { portError } from "./api/http-servers.js";
import { TURN_MS, Turns } from "./api/turns.js";
import type { OpenChain } from "./chain/open-chain.js";
import type { EventConfig } from "./config/event-config.js";
import { eventBudget } from "./events/event-budget.js";
import type { EventCounts } from "./events/event-counts.js";
import { createEventService, FLUSH_MS } from "./events/event-service.js";
import type { EventChain } from "./events/loaded-block.js";
import { Publisher } from "./events/native/publisher.js";
import { createSinks } from "./events/sinks/sinks.js";
import { createWebhooks } from "./events/sinks/webhooks.js";
import { type TimeSlice, WorkLine } from "./events/sliced-work.js";
import type { NodeLog } from "./node-log.js";

/** Events share the event loop with long answers. */
const slice = (): TimeSlice => new Turns(TURN_MS);

/** A chain as the events see it. */
export function eventChainOf({ chain }: OpenChain, dialect: Dialect): EventChain {
	return {
		get state() {
			return chain.state;
		},
		get headNumber() {
			return Number(chain.state.properties.headNumber);
		},
		get solidNumber() {
			return Number(chain.solidifiedNumber);
		},
		dialect,
		block: (number) => chain.blockByNumber(BigInt(number)),
	};
}

interface EventsOptions {
	readonly open: OpenChain;
	readonly events: EventConfig;
	readonly dialect: Dialect;
	/** Address to bind; undefined: every interface. */
	readonly host: string | undefined;
	/** Where positions of receivers are stored; undefined: nowhere. */
	readonly dataDirectory: string | undefined;
	/** Milliseconds since 1970. */
	readonly clock: () => bigint;
	readonly log: NodeLog;
	readonly report: (error: unknown, where: string) => void;
}

export interface RunningEvents {
	/** Bound port of the native queue. */
	readonly port: number | undefined;
	readonly counts: EventCounts;
	close(): Promise<void>;
}

/** Starts telling events. @throws {OperatorError} if the queue can't be bound, or a receiver's files can't be read */
export async function startEvents(options: EventsOptions): Promise<RunningEvents> {
	const { open, events, dialect, dataDirectory, clock, log, report } = options;
	const chain = eventChainOf(open, dialect);
	const warn = (text: string): void => log.warn({}, text);
	const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
		// It ends early where the node stops.
		await sleep(ms, undefined, { ref: false, signal }).catch(() => {});
	};
	const nowMs = (): number => Number(clock());
	const webhooks = createWebhooks({ config: events, chain, dataDirectory, warn, nowMs, fetch, pause, slice });
	const sinks = await createSinks({
		config: events,
		chain,
		dataDirectory,
		environment: process.env,
		run: `${nowMs().toString(36)}${process.pid.toString(36)}`,
		pause,
		slice,
		warn,
		info: (text) => log.info({}, text),
		report: (error) => report(error, "events"),
	});
	const native = await startNative(options);
	const observers = [webhooks.observer, ...sinks.map(({ observer }) => observer)];
	const ignored = observers.map((observer) => open.chain.observe(observer));
	webhooks.start();
	for (const sink of sinks) sink.start();
	return {
		port: native?.publisher.port,
		get counts() {
			const receivers = [...webhooks.counts, ...sinks.map(({ counts }) => counts)];
			return { native: native?.counts, receivers };
		},
		close: async () => {
			for (const ignore of ignored) ignore();
			await Promise.all([webhooks.stop(), ...sinks.map((sink) => sink.stop())]);
			await native?.close();
		},
	};
}

interface RunningNative {
	readonly publisher: Publisher;
	readonly counts: NonNullable<EventCounts["native"]>;
	close(): Promise<void>;
}

/** @throws {PortError} */
async function startNative({
	open,
	events,
	dialect,
	host,
	log,
	report,
}: EventsOptions): Promise<RunningNative | undefined> {
	const { native } = events;
	if (!native) return undefined;
	const publisher = await Publisher.listen({ ...native, host }).catch((error: unknown) => {
		throw portError(native.port, "event queue", error);
	});
	const warn = (text: string): void => log.warn({}, text);
	const budget = eventBudget("the native queue", warn);
	const line = new WorkLine({ slice, report: (error) => report(error, "events") });
	const service = createEventService({
		config: events,
		chain: eventChainOf(open, dialect),
		outlet: (message) => publisher.publish(message),
		budget,
		pause: async (ms) => {
			await sleep(ms, undefined, { ref: false });
		},
		warn,
		run: (work) => line.add(work),
	});
	const ignore = open.chain.observe(service.observer);
	const { flush } = service;
	const timer = flush && setInterval(guarded(flush, report), FLUSH_MS).unref();
	service.start().catch((error: unknown) => report(error, "events"));
	return {
		publisher,
		get counts() {
			return { ...publisher.counts, leftOut: budget.leftOut };
		},
		close: async () => {
			service.stop();
			line.stop();
			clearInterval(timer);
			ignore();
			await publisher.close();
		},
	};
}

function guarded(work: () => void, report: EventsOptions["report"]): () => void {
	return () => {
		try {
			work();
		} catch (error) {
			report(error, "events");
		}
	};
}
