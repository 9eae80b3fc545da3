/** Publishes the events of a running node. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Dialect } from "../protocol/dialect.js";
import { portError } from "./api/http-servers.js";
import type { OpenChain } from "./chain/open-chain.js";
import type { EventConfig } from "./config/event-config.js";
import { type EventCounts, eventCounts, openDeliveries } from "./events/deliveries.js";
import type { EventChain } from "./events/loaded-block.js";
import type { NodeLog } from "./node-log.js";
import { SLICE_MS, TimeSlice } from "./scheduling/time-slice.js";

/** Events share the event loop with long responses. */
const slice = (): TimeSlice => new TimeSlice(SLICE_MS);

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
	/** Where receivers' positions are stored; undefined: nowhere. */
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

/** Starts publishing events. @throws {OperatorError} if a port can't be bound, or a receiver's files can't be read */
export async function startEvents(options: EventsOptions): Promise<RunningEvents> {
	const { open, events, dialect, host, dataDirectory, clock, log, report } = options;
	const nowMs = (): number => Number(clock());
	const deliveries = await openDeliveries({
		config: events,
		chain: eventChainOf(open, dialect),
		dataDirectory,
		surroundings: {
			environment: process.env,
			host,
			nowMs,
			fetch,
			portError: (port, error) => portError(port, "event queue", error),
		},
		run: `${nowMs().toString(36)}${process.pid.toString(36)}`,
		pause: async (ms, signal) => {
			// Ends early if the node stops.
			await sleep(ms, undefined, { ref: false, signal }).catch(() => {});
		},
		slice,
		warn: (text) => log.warn({}, text),
		info: (text) => log.info({}, text),
		report: (error) => report(error, "events"),
	});
	const ignored = deliveries.map(({ observer }) => open.chain.observe(observer));
	for (const delivery of deliveries) delivery.start();
	return {
		port: deliveries.find(({ listener }) => listener)?.listener?.port,
		get counts() {
			return eventCounts(deliveries);
		},
		close: async () => {
			for (const ignore of ignored) ignore();
			await Promise.all(deliveries.map((delivery) => delivery.stop()));
		},
	};
}
