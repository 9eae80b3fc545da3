/** The metric families of a node in a Prometheus registry. Loaded only if metrics are enabled. */

import { readFileSync } from "node:fs";
import { availableParallelism, cpus, freemem, loadavg, totalmem } from "node:os";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Dialect } from "../../protocol/dialect.js";
import type { NetworkName } from "../rules/chain-rules.js";
import { isFrom, type Release } from "../rules/release.js";
import { BUCKETS, FAMILIES, type Family, type FamilyName } from "./families.js";

/** Label values by label name. */
type MetricLabels = Readonly<Record<string, string>>;

/** Sets gauges whose value is only read at a scrape. */
export type GaugeReader = (set: (name: FamilyName, value: number, labels?: MetricLabels) => void) => void;

interface CpuTimes {
	readonly busyMs: number;
	readonly allMs: number;
}

function machineTimes(): CpuTimes {
	let busyMs = 0;
	let allMs = 0;
	for (const { times } of cpus()) {
		const work = times.user + times.nice + times.sys + times.irq;
		busyMs += work;
		allMs += work + times.idle;
	}
	return { busyMs, allMs };
}

function processTimes(): CpuTimes {
	const { user, system } = process.cpuUsage();
	return { busyMs: (user + system) / 1000, allMs: performance.now() * availableParallelism() };
}

/** CPU load of this process and the machine, each since its last read. */
class SystemLoad {
	private lastMachine = machineTimes();
	private lastProcess = processTimes();

	/** Share of all processors used by this process, 0 to 1. */
	process(): number {
		const now = processTimes();
		const share = shareOf(this.lastProcess, now);
		this.lastProcess = now;
		return share;
	}

	/** Share of all processors in use, 0 to 1. */
	system(): number {
		const now = machineTimes();
		const share = shareOf(this.lastMachine, now);
		this.lastMachine = now;
		return share;
	}

	/** A value of /proc/meminfo; 0 on systems without it. */
	swapBytes(name: "SwapTotal" | "SwapFree"): number {
		try {
			const text = readFileSync("/proc/meminfo", "utf8");
			return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
			return 0;
		}
	}
}

function shareOf(before: CpuTimes, now: CpuTimes): number {
	const all = now.allMs - before.allMs;
	return all > 0 ? Math.min(1, Math.max(0, (now.busyMs - before.busyMs) / all)) : 0;
}

export class MetricRegistry {
	readonly registry = new Registry();
	private readonly counters = new Map<FamilyName, Counter>();
	private readonly histograms = new Map<FamilyName, Histogram>();
	private readonly gauges = new Map<FamilyName, Gauge>();
	private readonly created: CreationTimes;
	private readonly readers: GaugeReader[] = [];

	/**
	 * @param clock milliseconds
	 * @param readGauges called at each scrape
	 */
	constructor(
		private readonly dialect: Dialect,
		{ release, network }: { readonly release: Release; readonly network?: NetworkName | undefined },
		clock: () => bigint,
		readGauges: GaugeReader,
	) {
		this.created = new CreationTimes(clock);
		this.readers.push(readGauges);
		for (const [name, family] of Object.entries(FAMILIES) as [FamilyName, Family][]) {
			const isOfNetwork = family.network === undefined || family.network === network;
			if (isFrom(release, family.since) && isOfNetwork) this.register(name, family);
		}
		collectDefaultMetrics({ register: this.registry });
		this.registerSystem();
	}

	private register(name: FamilyName, family: Family): void {
		const { kind, name: wireName, labels, help, buckets = BUCKETS } = family;
		const brand = this.dialect === "deployed" ? "tron" : "coin";
		const options = {
			name: `${brand}:${wireName}`,
			help: help.replace("BRAND", brand),
			labelNames: [...labels],
			registers: [this.registry],
		};
		if (kind !== "gauge") this.created.add(name, options.name, options.help);
		if (kind === "counter") this.counters.set(name, new Counter(options));
		else if (kind === "histogram")
			this.histograms.set(name, new Histogram({ ...options, buckets: [...buckets] }));
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
		const load = new SystemLoad();
		gauge("process_cpu_load", "Process cpu load", () => load.process());
		gauge("system_cpu_load", "System cpu load", () => load.system());
		gauge("system_total_swap_spaces_bytes", "System free swap spaces bytes", () =>
			load.swapBytes("SwapTotal"),
		);
		gauge("system_free_swap_spaces_bytes", "System free swap spaces", () => load.swapBytes("SwapFree"));
		gauge("system_load_average", "System cpu load average", () => loadavg()[0] ?? 0);
		gauge("system_total_physical_memory_bytes", "System total physical memory bytes", totalmem);
		gauge("system_free_physical_memory_bytes", "System free physical memory bytes", freemem);
	}

	/** Adds another gauge reader. */
	watch(read: GaugeReader): void {
		this.readers.push(read);
	}

	/** Ignored for families that the release doesn't have. */
	count(name: FamilyName, labels: MetricLabels = {}, by = 1): void {
		if (!this.counters.has(name)) return;
		this.created.note(name, labels);
		this.counters.get(name)?.inc(labels, by);
	}

	/** @param value seconds, bytes or a count */
	record(name: FamilyName, value: number, labels: MetricLabels = {}): void {
		if (!this.histograms.has(name)) return;
		this.created.note(name, labels);
		this.histograms.get(name)?.observe(labels, value);
	}

	/** Creates a series with zeros before its first event. */
	show(name: FamilyName, labels: MetricLabels): void {
		if (this.created.note(name, labels)) this.histograms.get(name)?.zero(labels);
	}

	/**
	 * The page in the text format.
	 * @param names only these families; empty: all
	 * @param isOpenMetrics use the OpenMetrics format
	 */
	async page(
		names: readonly string[],
		isOpenMetrics: boolean,
	): Promise<{ readonly contentType: string; readonly text: string }> {
		for (const read of this.readers) {
			read((name, value, labels = {}) => this.gauges.get(name)?.set(labels, value));
		}
		const text =
			names.length === 0 ? (await this.registry.metrics()) + this.created.page() : await this.some(names);
		if (!isOpenMetrics) return { contentType: Registry.PROMETHEUS_CONTENT_TYPE, text };
		return { contentType: Registry.OPENMETRICS_CONTENT_TYPE, text: toOpenMetrics(text) };
	}

	private async some(names: readonly string[]): Promise<string> {
		const known = names.filter((name) => this.registry.getSingleMetric(name) !== undefined);
		const parts = await Promise.all(known.map((name) => this.registry.getSingleMetricAsString(name)));
		return parts.map((part) => `${part}\n`).join("\n");
	}
}

/** Creation time of each counter or histogram series: a `_created` family after each. */
class CreationTimes {
	private readonly families = new Map<FamilyName, { readonly head: string; readonly name: string }>();
	private readonly times = new Map<FamilyName, Map<string, number>>();

	constructor(private readonly clock: () => bigint) {}

	/** @param name with prefix */
	add(family: FamilyName, name: string, help: string): void {
		const created = `${name.replace(/_total$/, "")}_created`;
		const head = `# HELP ${created} ${help}\n# TYPE ${created} gauge\n`;
		this.families.set(family, { head, name: created });
	}

	/** @returns whether the series is new */
	note(family: FamilyName, labels: MetricLabels): boolean {
		const key = Object.entries(labels)
			.map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, "\\$&")}"`)
			.join(",");
		const known = this.times.get(family) ?? new Map<string, number>();
		if (known.size === 0) this.times.set(family, known);
		if (known.has(key)) return false;
		known.set(key, Number(this.clock()) / 1000);
		return true;
	}

	page(): string {
		return [...this.times]
			.map(([family, times]) => {
				const { head = "", name = "" } = this.families.get(family) ?? {};
				const lines = [...times].map(([labels, seconds]) =>
					labels === "" ? `${name} ${seconds}\n` : `${name}{${labels}} ${seconds}\n`,
				);
				return head + lines.join("");
			})
			.join("");
	}
}

/** In OpenMetrics the family name of a counter has no `_total`, and the page ends with `# EOF`. */
function toOpenMetrics(text: string): string {
	const lines = text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) =>
			line.replace(/^(# HELP [^ ]+)_total /, "$1 ").replace(/^(# TYPE [^ ]+)_total counter$/, "$1 counter"),
		);
	return `${[...lines, "# EOF"].join("\n")}\n`;
}
