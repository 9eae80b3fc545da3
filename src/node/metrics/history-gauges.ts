/** The history by account and contract in Prometheus, on nodes that keep it: the network's node has no such families. */

import { Gauge, type Registry } from "prom-client";
import type { Dialect } from "../../protocol/dialect.js";
import type { HistoryReader } from "../history/history-index.js";

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
