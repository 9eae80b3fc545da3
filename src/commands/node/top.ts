import { setTimeout as delay } from "node:timers/promises";
import { Flags } from "@oclif/core";
import type { OutputKind } from "../../terminal/base/coin-command.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import {
	type Glance,
	glanceLines,
	glanceOf,
	type Reading,
	readMetrics,
} from "../../terminal/chain/node-glance.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { printJson, printLine, redrawLines } from "../../terminal/output/output.js";
import { canDraw } from "../../terminal/progress/progress.js";
import { interruption } from "../../terminal/prompt/interrupt.js";
import { Failure } from "../../wallet/failure.js";
import { member } from "../../wallet/json.js";
import { headBlock } from "../../wallet/node/chain-query.js";
import type { NodeClient } from "../../wallet/node/node-client.js";

/** Longer pages of metrics aren't read. */
const LONGEST_PAGE = 8 << 20;
const METRICS_MS = 5_000;
const MOST_SECONDS = 3_600;

export default class NodeTop extends QueryCommand {
	static override outputKind: OutputKind = "stream";
	static override summary = "Show a node's figures at a glance, until interrupted";
	static override description =
		"Head, peers, pool, blocks a second, memory, processor, how fast it answers; with --metrics, the address of its page for Prometheus, also the lateness of its event loop and calls a second. In a terminal the figures are drawn in place; elsewhere, and with --json, each look is a line of JSON.";
	static override examples = [
		"<%= config.bin %> node top",
		"<%= config.bin %> node top --once --json",
		"<%= config.bin %> node top --metrics http://127.0.0.1:9527/metrics",
	];
	static override flags = {
		...nodeFlags,
		metrics: Flags.string({ description: "the node's page for Prometheus", helpValue: "<url>" }),
		interval: Flags.integer({ description: "seconds between looks", default: 2, min: 1, max: MOST_SECONDS }),
		once: Flags.boolean({ description: "look once and end" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeTop);
		const client = await this.client(flags);
		const ended = interruption();
		const draws = !this.json && canDraw(process.stdout);
		let before: Reading | undefined;
		let drawn = 0;
		while (!ended.aborted) {
			const now = await readNode(client, flags.metrics);
			const glance = glanceOf(now, before);
			before = now;
			if (flags.once) return this.printOnce(glance);
			if (draws) drawn = redrawLines(glanceLines(glance), drawn, process.stdout);
			else printJson(glance);
			await delay(flags.interval * 1000, undefined, { signal: ended }).catch(() => undefined);
		}
	}

	private printOnce(glance: Glance): void {
		if (this.json) printJson(glance);
		else for (const line of glanceLines(glance)) printLine(line);
	}
}

async function readNode(client: NodeClient, metrics: string | undefined): Promise<Reading> {
	const startMs = performance.now();
	const info = await client.call("getnodeinfo", {});
	const answerMs = performance.now() - startMs;
	const [head, size, page] = await Promise.all([
		headBlock(client),
		client.call("getpendingsize", {}),
		metrics === undefined ? undefined : readPage(metrics),
	]);
	return {
		atMs: performance.now(),
		answerMs,
		nowMs: Date.now(),
		head: head.number,
		headTimeMs: head.timestampMs,
		info,
		pool: Number(member(size, "pendingSize") ?? 0),
		metrics: page === undefined ? undefined : readMetrics(page),
	};
}

/** @throws {Failure} `bad_value`; `network` */
async function readPage(url: string): Promise<string> {
	if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) {
		throw new Failure("bad_value", `"${url}" is not the address of a page of metrics`);
	}
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(METRICS_MS), redirect: "error" });
		const parts: Uint8Array[] = [];
		let length = 0;
		for await (const part of response.body ?? []) {
			length += part.length;
			if (length > LONGEST_PAGE) throw new RangeError("the page is too long");
			parts.push(part);
		}
		if (!response.ok) throw new RangeError(`status ${response.status}`);
		return Buffer.concat(parts).toString("utf8");
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw new Failure("network", `the page of metrics can't be read: ${why}`);
	}
}
