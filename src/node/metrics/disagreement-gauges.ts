/** Blocks on which this node and others don't agree, in Prometheus: the network's node has no such families. */

import { Gauge, type Registry } from "prom-client";
import type { Dialect } from "../../protocol/dialect.js";
import type { FaultWatch } from "../faults/fault-watch.js";

/** Longest text of a label, in characters. */
const MAX_LABEL = 300;

export function registerDisagreements(
	registry: Registry,
	dialect: Dialect,
	faults: Pick<FaultWatch, "found" | "first">,
): void {
	const brand = dialect === "deployed" ? "tron" : "coin";
	new Gauge({
		name: `${brand}:faults`,
		help: "Blocks on which this node and others don't agree, since the start, by how they were found.",
		labelNames: ["kind"],
		registers: [registry],
		collect() {
			for (const [kind, count] of Object.entries(faults.found)) this.set({ kind }, count);
		},
	});
	new Gauge({
		name: `${brand}:first_fault_block`,
		help: "The first of these blocks; 0: none.",
		labelNames: ["transaction", "computed", "recorded", "file"],
		registers: [registry],
		collect() {
			this.reset();
			const { first } = faults;
			const { transaction = "", computed = "", recorded = "", file = "" } = first ?? {};
			const cut = (text: string): string => text.slice(0, MAX_LABEL);
			this.set(
				{ transaction, computed: cut(computed), recorded: cut(recorded), file: cut(file) },
				first?.block ?? 0,
			);
		},
	});
}
