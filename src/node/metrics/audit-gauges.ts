/** The comparison with another node, in Prometheus: the network's node has no such families. */

import { Gauge, type Registry } from "prom-client";
import type { Dialect } from "../../protocol/dialect.js";
import type { LiveAudit } from "../audit/live-audit.js";

/** @param auditOf undefined: it hasn't begun */
export function registerAuditGauges(
	registry: Registry,
	dialect: Dialect,
	auditOf: () => Pick<LiveAudit, "last" | "counts" | "skipped" | "different" | "busy"> | undefined,
): void {
	const brand = dialect === "deployed" ? "tron" : "coin";
	const gauge = (
		name: string,
		help: string,
		value: (audit: NonNullable<ReturnType<typeof auditOf>>) => number,
	) =>
		new Gauge({
			name: `${brand}:audit_${name}`,
			help,
			registers: [registry],
			collect() {
				const audit = auditOf();
				this.set(audit ? value(audit) : 0);
			},
		});
	gauge("block", "Last block that is the same at the other node.", ({ last }) => Number(last));
	gauge("different_block", "First block that differs from the other node's; 0: none.", ({ different }) =>
		Number(different),
	);
	gauge("skipped_blocks", "Blocks that were not compared since the other node is too slow.", ({ skipped }) =>
		Number(skipped),
	);
	gauge("busy_answers", "How often the other node was busy or didn't answer.", ({ busy }) => busy);
	new Gauge({
		name: `${brand}:audit_compared`,
		help: "What was compared with the other node.",
		labelNames: ["what"],
		registers: [registry],
		collect() {
			for (const [what, count] of Object.entries(auditOf()?.counts ?? {})) this.set({ what }, count);
		},
	});
}
