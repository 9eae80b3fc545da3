/** The families of a node in a Prometheus registry. Loaded only where metrics are asked for. */

import { availableParallelism, freemem, loadavg, totalmem } from "node:os";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Dialect } from "../../protocol/dialect.js";
import { BUCKETS, FAMILIES, type Family, type FamilyName } from "./families.js";

/** Values by name of a label. */
export type Labels = Readonly<Record<string, string>>;

export class MetricRegistry {
	readonly registry = new Registry();
	private readonly counters = new Map<FamilyName, Counter>();
	private readonly histograms = new Map<FamilyName, Histogram>();
	private readonly gauges = new Map<FamilyName, Gauge>();

	/** @param readGauges sets what is only known when it is asked for */
	constructor(
		private readonly dialect: Dialect,
		private readonly readGauges: (set: (name: FamilyName, value: number, labels?: Labels) => void) => void,
	) {
		for (const [name, family] of Object.entries(FAMILIES) as [FamilyName, Family][])
			this.register(name, family);
		collectDefaultMetrics({ register: this.registry });
		this.registerSystem();
	}

	private register(name: FamilyName, { kind, name: wireName, labels, help }: Family): void {
		const brand = this.dialect === "deployed" ? "tron" : "coin";
		const options = {
			name: `${brand}:${wireName}`,
			help: help.replace("BRAND", brand),
			labelNames: [...labels],
			registers: [this.registry],
		};
		if (kind === "counter") this.counters.set(name, new Counter(options));
		else if (kind === "histogram")
			this.histograms.set(name, new Histogram({ ...options, buckets: [...BUCKETS] }));
		else this.gauges.set(name, new Gauge(options));
	}

	private registerSystem(): void {
		const gauge = (name: string, help: string, read: () => number): void => {
			new Gauge({
				name,
				help,
				registers: [this.registry],
				collect() {
					this.set(read());
				},
			});
		};
		gauge("system_available_cpus", "System available cpus", availableParallelism);
		gauge("system_load_average", "System cpu load average", () => loadavg()[0] ?? 0);
		gauge("system_total_physical_memory_bytes", "System total physical memory bytes", totalmem);
		gauge("system_free_physical_memory_bytes", "System free physical memory bytes", freemem);
	}

	count(name: FamilyName, labels: Labels = {}, by = 1): void {
		this.counters.get(name)?.inc(labels, by);
	}

	/** @param value seconds or bytes */
	record(name: FamilyName, value: number, labels: Labels = {}): void {
		this.histograms.get(name)?.observe(labels, value);
	}

	/**
	 * The page in the text format.
	 * @param names only these families; empty: all
	 * @param isOpenMetrics in the newer format that clients may ask for
	 */
	async page(
		names: readonly string[],
		isOpenMetrics: boolean,
	): Promise<{ readonly contentType: string; readonly text: string }> {
		this.readGauges((name, value, labels = {}) => this.gauges.get(name)?.set(labels, value));
		const text = names.length === 0 ? await this.registry.metrics() : await this.some(names);
		if (!isOpenMetrics) return { contentType: Registry.PROMETHEUS_CONTENT_TYPE, text };
		return { contentType: Registry.OPENMETRICS_CONTENT_TYPE, text: toOpenMetrics(text) };
	}

	private async some(names: readonly string[]): Promise<string> {
		const known = names.filter((name) => this.registry.getSingleMetric(name) !== undefined);
		const parts = await Promise.all(known.map((name) => this.registry.getSingleMetricAsString(name)));
		return parts.map((part) => `${part}\n`).join("\n");
	}
}

/** In the newer format a counter's family has no `_total`, and the page says where it ends. */
function toOpenMetrics(text: string): string {
	const lines = text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) =>
			line.replace(/^(# HELP [^ ]+)_total /, "$1 ").replace(/^(# TYPE [^ ]+)_total counter$/, "$1 counter"),
		);
	return `${[...lines, "# EOF"].join("\n")}\n`;
}
