/** An honest client during the attack: measures latency, and checks that no slot is missed. */

import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ask } from "./ask.js";
import type { Probe } from "./attack.js";
import { EMPTY_FRAME, grpcCall } from "./grpc-call.js";
import type { Ports } from "./template.js";
import type { Victim } from "./victim.js";

const PERIOD_MS = 100;
const TIMEOUT_MS = 60_000;
const SLOT_MS = 3000;

export interface Observation {
	/** Longest request in milliseconds; refused and broken ones count as {@link TIMEOUT_MS}. */
	readonly worstMs: number;
	/**
	 * The part of it during which the node's or client's main thread was runnable without a CPU: the attack
	 * uses the same machine. 0 if the system doesn't report it.
	 */
	readonly worstUnservedMs: number;
	readonly failed: readonly string[];
	/** Growth of resident memory and of files, in bytes. */
	readonly memory: number;
	readonly disk: number;
	/** Slots without a block. */
	readonly missed: number;
}

interface Head {
	readonly number: number;
	readonly timestampMs: number;
}

/** Sent by the client's process when it ends. */
interface Polled {
	readonly worstMs: number;
	readonly worstUnservedMs: number;
	readonly failed: string[];
	readonly heads: readonly (readonly [number, number])[];
}

/**
 * Watches a node until stopped: memory and files in this process, answers in its own process, which the
 * attack can't block.
 */
export class HonestClient {
	private isOver = false;
	private memory = 0;
	private disk = 0;
	private readonly measuring: Promise<void>;
	private readonly client;

	/** @param probe an additional query */
	constructor(
		private readonly victim: Victim,
		probe?: Probe,
	) {
		const { ports, pid } = victim;
		const given = [JSON.stringify(ports), String(pid), ...(probe ? [JSON.stringify(probe)] : [])];
		this.client = fork(fileURLToPath(import.meta.url), given, {
			stdio: ["ignore", "inherit", "inherit", "ipc"],
		});
		this.measuring = this.measure(victim.memory, victim.disk);
	}

	/** Waits for the client's first answer. */
	async ready(): Promise<void> {
		await new Promise((resolve) => this.client.once("message", resolve));
	}

	/** @returns observations, and the slots missed so far */
	async end(): Promise<Observation> {
		this.isOver = true;
		await this.measuring;
		const told = new Promise<Polled>((resolve) =>
			this.client.once("message", (message) => resolve(message as Polled)),
		);
		this.client.send("end");
		const { worstMs, worstUnservedMs, failed, heads } = await told;
		return {
			worstMs,
			worstUnservedMs,
			failed,
			memory: this.memory,
			disk: this.disk,
			missed: missedSlots(heads),
		};
	}

	private async measure(startMemory: number, startDisk: number): Promise<void> {
		while (!this.isOver) {
			this.memory = Math.max(this.memory, this.victim.memory - startMemory);
			this.disk = Math.max(this.disk, this.victim.disk - startDisk);
			await sleep(200);
		}
	}
}

/** Slots without a block between the first head and now. @param heads number and time of each head seen */
function missedSlots(heads: Polled["heads"]): number {
	const sorted = [...heads].sort(([a], [b]) => a - b);
	const [first, last] = [sorted[0], sorted.at(-1)];
	if (!first || !last) return 0;
	const between = Math.round((last[1] - first[1]) / SLOT_MS) - (last[0] - first[0]);
	const behind = Date.now() - last[1];
	return between + (behind > 2 * SLOT_MS ? Math.floor(behind / SLOT_MS) - 1 : 0);
}

/** Milliseconds for which a process's main thread was runnable without a CPU (proc(5), schedstat). */
function unservedMs(pid: number): number {
	try {
		return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
	} catch {
		return 0;
	}
}

/** The client itself: polls both servers. */
async function poll(ports: Ports, node: number, probe: Probe | undefined): Promise<void> {
	const heads = new Map<number, number>();
	const failed: string[] = [];
	let worstMs = 0;
	let worstUnservedMs = 0;
	let isOver = false;
	process.once("message", () => {
		isOver = true;
	});
	const watch = async (name: string, question: () => Promise<Head | undefined>): Promise<void> => {
		while (!isOver) {
			const started = performance.now();
			const unserved = unservedMs(node) + unservedMs(process.pid);
			try {
				const head = await question();
				if (head && heads.size === 0) process.send?.("ready");
				if (head) heads.set(head.number, head.timestampMs);
				const tookMs = performance.now() - started;
				if (tookMs > worstMs) {
					worstMs = tookMs;
					worstUnservedMs = unservedMs(node) + unservedMs(process.pid) - unserved;
				}
			} catch (error) {
				failed.push(`${name}: ${error instanceof Error ? error.message : error}`);
				worstMs = TIMEOUT_MS;
			}
			await sleep(PERIOD_MS);
		}
	};
	const watched = [watch("http", () => askHead(ports)), watch("jsonrpc", () => askNumber(ports))];
	if (probe) watched.push(watch(probe.path, () => askProbe(ports, probe)));
	await Promise.all(watched);
	process.send?.({ worstMs, worstUnservedMs, failed, heads: [...heads] } satisfies Polled);
	process.disconnect();
}

async function askHead(ports: Ports): Promise<Head> {
	const text = await ask(ports.http, "/wallet/getblock", JSON.stringify({ detail: false }));
	const { raw_data } = (
		JSON.parse(text) as { block_header: { raw_data: { number: number; timestamp: number } } }
	).block_header;
	return { number: raw_data.number, timestampMs: raw_data.timestamp };
}

async function askNumber(ports: Ports): Promise<undefined> {
	const text = await ask(
		ports.jsonrpc,
		"/jsonrpc",
		'{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
	);
	if (!/"result":"0x/.test(text)) throw new Error(text.slice(0, 200));
}

async function askProbe(ports: Ports, { server, path, body, host }: Probe): Promise<undefined> {
	if (server !== "grpc") {
		await ask(ports[server], path, body ?? "", { host, isServed: true });
		return;
	}
	const status = await grpcCall(ports.grpc, path, EMPTY_FRAME, host);
	if (!/^(?:answered|status \d+)$/.test(status)) throw new Error(status);
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
	const [, , ports = "", node, probe] = process.argv;
	await poll(
		JSON.parse(ports) as Ports,
		Number(node),
		probe === undefined ? undefined : (JSON.parse(probe) as Probe),
	);
}
