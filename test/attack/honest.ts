/** An honest client beside the attack: what it waits, and whether a block came in every slot. */

import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Victim } from "./victim.js";

const PERIOD_MS = 100;
const TIMEOUT_MS = 60_000;
const SLOT_MS = 3000;

export interface Observation {
	/** Longest wait of a request, in milliseconds; refused and broken ones count as {@link TIMEOUT_MS}. */
	worstMs: number;
	readonly failed: string[];
	/** Growth of resident memory and of files, in bytes. */
	memory: number;
	disk: number;
	/** Slots without a block. */
	missed: number;
}

interface Head {
	readonly number: number;
	readonly timestampMs: number;
}

/** Watches a node until it is told to stop. */
export class HonestClient {
	private isOver = false;
	private readonly observed: Observation = { worstMs: 0, failed: [], memory: 0, disk: 0, missed: 0 };
	private readonly heads = new Map<number, number>();
	private readonly startMemory: number;
	private readonly startDisk: number;
	private readonly running: Promise<void>[];

	constructor(private readonly victim: Victim) {
		this.startMemory = victim.memory;
		this.startDisk = victim.disk;
		this.running = [this.poll("http"), this.poll("jsonrpc"), this.measure()];
	}

	/** @returns what was seen, and the slots missed up to the last head */
	async end(): Promise<Observation> {
		this.isOver = true;
		await Promise.all(this.running);
		const numbers = [...this.heads.keys()].sort((a, b) => a - b);
		const [first, last] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
		const span = (this.heads.get(last) ?? 0) - (this.heads.get(first) ?? 0);
		this.observed.missed = Math.round(span / SLOT_MS) - (last - first);
		const behind = Date.now() - (this.heads.get(last) ?? 0);
		if (behind > 2 * SLOT_MS) this.observed.missed += Math.floor(behind / SLOT_MS) - 1;
		return this.observed;
	}

	private async measure(): Promise<void> {
		while (!this.isOver) {
			this.observed.memory = Math.max(this.observed.memory, this.victim.memory - this.startMemory);
			this.observed.disk = Math.max(this.observed.disk, this.victim.disk - this.startDisk);
			await sleep(200);
		}
	}

	private async poll(server: "http" | "jsonrpc"): Promise<void> {
		while (!this.isOver) {
			const started = performance.now();
			try {
				const head = await (server === "http" ? askHead(this.victim) : askNumber(this.victim));
				if (head) this.heads.set(head.number, head.timestampMs);
				this.observed.worstMs = Math.max(this.observed.worstMs, performance.now() - started);
			} catch (error) {
				this.observed.failed.push(`${server}: ${error instanceof Error ? error.message : error}`);
				this.observed.worstMs = TIMEOUT_MS;
			}
			await sleep(PERIOD_MS);
		}
	}
}

async function askHead({ ports }: Victim): Promise<Head> {
	const text = await ask(ports.http, "/wallet/getblock", JSON.stringify({ detail: false }));
	const { raw_data } = (
		JSON.parse(text) as { block_header: { raw_data: { number: number; timestamp: number } } }
	).block_header;
	return { number: raw_data.number, timestampMs: raw_data.timestamp };
}

async function askNumber({ ports }: Victim): Promise<undefined> {
	const text = await ask(
		ports.jsonrpc,
		"/jsonrpc",
		'{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
	);
	if (!/"result":"0x/.test(text)) throw new Error(text.slice(0, 200));
}

/** One request on a connection of its own, as a client makes it who was not there before. */
export function ask(
	port: number,
	path: string,
	body: string | Uint8Array,
	{ host = "127.0.0.1", timeoutMs = TIMEOUT_MS, headers = {} }: AskOptions = {},
): Promise<string> {
	return new Promise((resolve, reject) => {
		const agent = new Agent({ keepAlive: false });
		const call = request(
			{
				host: "127.0.0.1",
				port,
				path,
				method: "POST",
				agent,
				localAddress: host,
				timeout: timeoutMs,
				headers,
			},
			(answer) => {
				let size = 0;
				const chunks: Buffer[] = [];
				answer.on("data", (chunk: Buffer) => {
					size += chunk.length;
					if (size < 1 << 20) chunks.push(chunk);
				});
				answer.on("end", () => resolve(Buffer.concat(chunks).toString()));
				answer.on("error", reject);
			},
		);
		call.on("timeout", () => call.destroy(new Error("no answer in time")));
		call.on("error", reject);
		call.end(body);
	});
}

export interface AskOptions {
	/** Loopback address to come from. */
	readonly host?: string;
	readonly timeoutMs?: number;
	readonly headers?: Readonly<Record<string, string>>;
}
