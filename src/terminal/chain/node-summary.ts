/** Summarizes a node's status from two readings. */

import { isRecord, type JsonRecord, member, plainText } from "../../wallet/json.js";

/** A reading of a node's status. */
export interface NodeReading {
	/** Time of a monotonic clock. */
	readonly atMs: number;
	/** Response time. */
	readonly answerMs: number;
	/** Milliseconds since 1970. */
	readonly nowMs: number;
	readonly head: bigint;
	readonly headTimeMs: bigint;
	readonly info: JsonRecord;
	readonly pool: number;
	/** Prometheus metrics; undefined if they weren't requested. */
	readonly metrics: ReadonlyMap<string, number> | undefined;
}

/** The figures to show. Rates are per second since the previous reading; null for the first one. */
export interface NodeSummary {
	readonly head: bigint;
	readonly solid: bigint;
	readonly headAgeSeconds: number;
	readonly blocksPerSecond: number | null;
	readonly peers: number;
	readonly peersAhead: number;
	readonly pool: number;
	readonly memoryBytes: number;
	readonly heapFreeBytes: number;
	readonly cpuShare: number;
	readonly answerMs: number;
	readonly eventLoopLagMs: number | null;
	readonly callsPerSecond: Readonly<Record<string, number>> | null;
}

/** Latency metrics of the services, which count the calls. */
const SERVICES = /^(?:[a-z]+:)?(http|grpc|jsonrpc)_service_latency_seconds_count$/;
const LAG = "nodejs_eventloop_lag_p99_seconds";
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{.*\})? (\S+)$/;

/** Sums of the metrics by family, over all labels. */
export function sumMetrics(page: string): ReadonlyMap<string, number> {
	const sums = new Map<string, number>();
	for (const line of page.split("\n")) {
		const [, name, text] = LINE.exec(line) ?? [];
		const value = Number(text);
		if (name !== undefined && Number.isFinite(value)) sums.set(name, (sums.get(name) ?? 0) + value);
	}
	return sums;
}

function numberOf(record: unknown, name: string): number {
	const value = isRecord(record) ? Number(record[name] ?? 0) : 0;
	return Number.isFinite(value) ? value : 0;
}

/** Computes the figures from a reading and, if there is one, the previous reading. */
export function nodeSummary(now: NodeReading, before: NodeReading | undefined): NodeSummary {
	const machine = member(now.info, "machineInfo");
	const list = now.info["peerList"];
	const peers = (Array.isArray(list) ? list : []).filter(isRecord);
	const seconds = before ? (now.atMs - before.atMs) / 1000 : 0;
	const lag = now.metrics?.get(LAG);
	return {
		head: now.head,
		solid: BigInt(/^Num:(\d{1,18})/.exec(plainText(now.info["solidityBlock"]))?.[1] ?? "0"),
		headAgeSeconds: Math.max(0, Math.round((now.nowMs - Number(now.headTimeMs)) / 1000)),
		blocksPerSecond: before && seconds > 0 ? rounded(Number(now.head - before.head) / seconds) : null,
		peers: peers.length,
		peersAhead: peers.filter((peer) => peer["needSyncFromPeer"] === true).length,
		pool: now.pool,
		memoryBytes: numberOf(machine, "jvmTotalMemory"),
		heapFreeBytes: numberOf(machine, "jvmFreeMemory"),
		cpuShare: rounded(numberOf(machine, "processCpuRate")),
		answerMs: Math.round(now.answerMs),
		eventLoopLagMs: lag === undefined ? null : rounded(lag * 1000),
		callsPerSecond: callRates(now.metrics, before?.metrics, seconds),
	};
}

function rounded(value: number): number {
	return Math.round(value * 100) / 100;
}

function callRates(
	now: NodeReading["metrics"],
	before: NodeReading["metrics"],
	seconds: number,
): Readonly<Record<string, number>> | null {
	if (!now || !before || seconds <= 0) return null;
	const rates: Record<string, number> = {};
	for (const [name, count] of now) {
		const [, service] = SERVICES.exec(name) ?? [];
		// The counters of a restarted node start from zero.
		if (service !== undefined)
			rates[service] = rounded(Math.max(0, count - (before.get(name) ?? 0)) / seconds);
	}
	return rates;
}

const MEBI = 1 << 20;
const unknown = (value: number | null, unit: string): string => (value === null ? "–" : `${value} ${unit}`);

/** The figures for a terminal, one per line. */
export function nodeSummaryLines(summary: NodeSummary): string[] {
	const { callsPerSecond: calls } = summary;
	const rows: readonly (readonly [string, string])[] = [
		["head", `${summary.head}, ${summary.headAgeSeconds} s old, solid ${summary.solid}`],
		["blocks", unknown(summary.blocksPerSecond, "a second")],
		[
			"peers",
			`${summary.peers}${summary.peersAhead > 0 ? `, ${summary.peersAhead} ahead of this node` : ""}`,
		],
		["pool", `${summary.pool} transactions`],
		[
			"memory",
			`${Math.round(summary.memoryBytes / MEBI)} MiB heap, ${Math.round(summary.heapFreeBytes / MEBI)} MiB free`,
		],
		["processor", `${Math.round(summary.cpuShare * 100)} %`],
		["answers in", `${summary.answerMs} ms`],
		["event loop", unknown(summary.eventLoopLagMs, "ms late (p99)")],
		[
			"calls",
			calls === null
				? "–"
				: Object.entries(calls)
						.map(([name, rate]) => `${name} ${rate}/s`)
						.join("  "),
		],
	];
	return rows.map(([name, value]) => `${name.padEnd(12)}${value}`);
}
