/** Faults of this program in Prometheus: the network's node has no such families. */

import { Gauge, type Registry } from "prom-client";
import type { Dialect } from "../../protocol/dialect.js";
import type { Chain } from "../chain/chain.js";

export function registerFaultGauges(
	registry: Registry,
	dialect: Dialect,
	{ observers }: Pick<Chain, "observers">,
): void {
	new Gauge({
		name: `${dialect === "deployed" ? "tron" : "coin"}:chain_observer_failures`,
		help: "Exceptions of parts of the node that follow the chain.",
		registers: [registry],
		collect() {
			this.set(observers.failed);
		},
	});
}
