import { describe, expect, test } from "vitest";
import {
	type NodeReading,
	nodeSummary,
	nodeSummaryLines,
	sumMetrics,
} from "../../../src/terminal/chain/node-summary.js";

const reading = (more: Partial<NodeReading> = {}): NodeReading => ({
	atMs: 1_000,
	answerMs: 3.4,
	nowMs: 100_000,
	head: 10n,
	headTimeMs: 97_000n,
	info: {
		solidityBlock: "Num:8,ID:00",
		peerList: [{ needSyncFromPeer: true }, {}],
		machineInfo: { jvmTotalMemory: 10 << 20, jvmFreeMemory: 2 << 20, processCpuRate: 0.25 },
	},
	pool: 4,
	metrics: undefined,
	...more,
});

describe("a node at a summary", () => {
	test("has no rates with the first look", () => {
		expect(nodeSummary(reading(), undefined)).toEqual({
			head: 10n,
			solid: 8n,
			headAgeSeconds: 3,
			blocksPerSecond: null,
			peers: 2,
			peersAhead: 1,
			pool: 4,
			memoryBytes: 10 << 20,
			heapFreeBytes: 2 << 20,
			cpuShare: 0.25,
			answerMs: 3,
			eventLoopLagMs: null,
			callsPerSecond: null,
		});
	});

	test("counts blocks and calls between two looks, also over a restart", () => {
		const page = (http: number, grpc: number): ReadonlyMap<string, number> =>
			sumMetrics(
				`# HELP x y\ncoin:http_service_latency_seconds_count{url="/a"} ${http}\n` +
					`coin:http_service_latency_seconds_count{url="/b b"} 1\n` +
					`coin:grpc_service_latency_seconds_count ${grpc}\nnodejs_eventloop_lag_p99_seconds 0.0123\nbad NaN\n`,
			);
		const before = reading({ metrics: page(10, 50) });
		const now = reading({ atMs: 3_000, head: 14n, metrics: page(30, 2) });
		const summary = nodeSummary(now, before);
		expect([summary.blocksPerSecond, summary.callsPerSecond, summary.eventLoopLagMs]).toEqual([
			2,
			{ http: 10, grpc: 0 },
			12.3,
		]);
		expect(nodeSummaryLines(summary).at(-1)).toBe("calls       http 10/s  grpc 0/s");
	});

	test("is lines whose figures are whole, whatever the node says", () => {
		const summary = nodeSummary(
			reading({ info: { solidityBlock: "\u001b[2J", peerList: 7, machineInfo: [] } }),
			undefined,
		);
		expect(nodeSummaryLines(summary)).toEqual([
			"head        10, 3 s old, solid 0",
			"blocks      –",
			"peers       0",
			"pool        4 transactions",
			"memory      0 MiB heap, 0 MiB free",
			"processor   0 %",
			"answers in  3 ms",
			"event loop  –",
			"calls       –",
		]);
	});
});
