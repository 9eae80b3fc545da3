/** Events and the history index in Prometheus, on nodes that have them: the network's node has no such families. */

import { Gauge, type Registry } from "prom-client";
import type { Dialect } from "../../protocol/dialect.js";
import type { EventCounts } from "../events/deliveries.js";
import type { DeliveryCounts } from "../events/delivery.js";
import type { HistoryReader } from "../history/history-index.js";

/** @param read asked for each page; undefined: nothing is counted yet */
export function registerEventGauges(
	registry: Registry,
	dialect: Dialect,
	read: () => EventCounts | undefined,
): void {
	const brand = dialect === "deployed" ? "tron" : "coin";
	const native = (name: string, help: string, value: (counts: EventCounts) => number | undefined): void => {
		new Gauge({
			name: `${brand}:event_queue_${name}`,
			help,
			registers: [registry],
			collect() {
				const counts = read();
				this.set((counts && value(counts)) ?? 0);
			},
		});
	};
	native("subscribers", "Subscribers of the native event queue.", (counts) => counts.native?.subscribers);
	native("sent", "Messages given to subscribers.", (counts) => counts.native?.sent);
	native("lost", "Messages that subscribers were too slow for.", (counts) => counts.native?.lost);
	native("left_out", "Events that could not be published.", (counts) => counts.native?.leftOut);
	const receiver = (name: string, help: string, value: (counts: DeliveryCounts) => number): void => {
		new Gauge({
			name: `${brand}:event_receiver_${name}`,
			help,
			labelNames: ["receiver"],
			registers: [registry],
			collect() {
				for (const counts of read()?.receivers ?? []) this.set({ receiver: counts.name }, value(counts));
			},
		});
	};
	receiver("position", "Last block that a receiver has acknowledged.", ({ position }) => position);
	receiver("lag", "Blocks above it that are to be published to it.", ({ lag }) => lag);
	receiver("errors", "Deliveries that failed.", ({ errors }) => errors);
	receiver("sent", "Messages that it has acknowledged.", ({ sent }) => sent);
	receiver("lost", "Messages that it was too slow for, where no position is stored.", ({ lost }) => lost);
	receiver("left_out", "Events that could not be published.", ({ leftOut }) => leftOut);
}

/** The history by account and contract in Prometheus, on nodes that keep it: the network's node has no such families. */
export function registerHistoryGauges(registry: Registry, dialect: Dialect, history: HistoryReader): void {
	const brand = dialect === "deployed" ? "tron" : "coin";
	const gauge = (name: string, help: string, value: (history: HistoryReader) => number): void => {
		new Gauge({
			name: `${brand}:history_${name}`,
			help,
			registers: [registry],
			collect() {
				this.set(value(history));
			},
		});
	};
	gauge("database_up", "1: the database of the history answers.", ({ status }) =>
		status.isReachable ? 1 : 0,
	);
	gauge("blocks_behind", "Final blocks that the database doesn't have.", ({ status }) => status.behind);
	gauge("blocks_missing", "Blocks that aren't indexed yet.", ({ coverage }) => coverage.missing);
	gauge("bytes", "Bytes of the history on disk.", ({ bytes }) => bytes);
}
