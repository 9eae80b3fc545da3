/**
 * A day of chain time in a few minutes: a node with servers produces every slot's block, gets payments at
 * half its peak rate, answers queries, and serves a peer that is repeatedly stopped and killed. Memory must
 * stay constant once caches are full (at their limit, or containing everything), and both chains must be the
 * same.
 *
 *     npm run tool soak:day -- [--minutes 20] [--hours 24] [--seed 1]
 *
 * `--minutes` limits the run; a machine too slow for `--hours` makes fewer blocks, and the result says so.
 */

import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { toHex } from "../../src/protocol/bytes.js";
import { freePort } from "../free-port.js";
import { DAY_MS, type DayOptions, type Ports, payers, payment, receiver } from "./day-chain.js";
import type { DaySample } from "./day-node.js";
import { between, randomFrom } from "./random.js";

const NODE = fileURLToPath(new URL("day-node.ts", import.meta.url));
const START_LIMIT_MS = 60_000;
const SENDERS = 8;
/** Duration of measuring the peak rate. */
const PEAK_MS = 20_000;
/** Share of the run after which all caches must be full. */
const WARM_UP = 0.5;
/** A cache counts as full at this share of its final size. */
const FULL = 0.95;
const MAX_GROWTH = 0.1;
/** Restarts of the peer. */
const RESTARTS = 4;
const SLOT_MS = 3_000;
/** A lost peer isn't dialed again for two minutes, and the machine may be busy. */
const CATCH_UP_MS = 600_000;

/** A check failed. */
class DayError extends Error {
	override readonly name = "DayError";
}

const { values } = parseArgs({
	options: {
		minutes: { type: "string", default: "20" },
		hours: { type: "string", default: "24" },
		seed: { type: "string", default: "1" },
	},
});
const runMs = Number(values.minutes) * 60_000;
const chainMs = (Number(values.hours) / 24) * DAY_MS;
const random = randomFrom(Number(values.seed));
const root = mkdtempSync(join(tmpdir(), "coin-day-"));
installRecoverEngine();

async function portsOf(host: string): Promise<Ports> {
	const [peer, http, jsonrpc, grpc] = await Promise.all([1, 2, 3, 4].map(() => freePort(host)));
	return { peer, http, jsonrpc, grpc } as Ports;
}

class Child {
	private readonly ended: Promise<undefined>;
	private asked: Promise<unknown> = Promise.resolve();

	private constructor(
		readonly options: DayOptions,
		private readonly process: ChildProcess,
	) {
		this.ended = new Promise((resolve) => process.once("exit", () => resolve(undefined)));
	}

	static async start(options: DayOptions): Promise<Child> {
		const execArgv = ["--import", "tsx", "--expose-gc"];
		const child = fork(NODE, [JSON.stringify(options)], {
			execArgv,
			stdio: ["ignore", "inherit", "inherit", "ipc"],
		});
		const started = new Promise((resolve) => child.once("message", resolve));
		const ended = new Promise((resolve) => child.once("exit", () => resolve(undefined)));
		const late = sleep(START_LIMIT_MS, undefined, { ref: false });
		if ((await Promise.race([started, ended, late])) === undefined)
			throw new DayError("a node did not start");
		return new Child(options, child);
	}

	sample(): Promise<DaySample> {
		this.asked = this.asked.then(() => this.ask());
		return this.asked as Promise<DaySample>;
	}

	/** Only one at a time: answers don't refer to requests. */
	private async ask(): Promise<DaySample> {
		const answer = new Promise<DaySample>((resolve) => this.process.once("message", resolve));
		this.process.send("sample");
		const sample = await Promise.race([answer, this.ended]);
		if (sample === undefined) throw new DayError("a node ended by itself");
		return sample;
	}

	async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
		this.process.kill(signal);
		await this.ended;
		const { exitCode } = this.process;
		if (signal === "SIGTERM" && exitCode !== 0) throw new DayError(`a node ended with code ${exitCode}`);
	}

	async post(path: string, body: object, isJsonRpc = false): Promise<unknown> {
		const { host, ports } = this.options;
		const answer = await fetch(`http://${host}:${isJsonRpc ? ports.jsonrpc : ports.http}${path}`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(body),
		});
		return answer.json();
	}
}

/** Queries and payments; payments are limited to a rate. */
class Traffic {
	isOver = false;
	accepted = 0;
	answered = 0;
	refused = 0;
	/** Payments per second; unlimited while measuring the peak. */
	rate = Number.POSITIVE_INFINITY;
	private sent = 0;
	private sinceMs = Date.now();
	private reference: { readonly id: Uint8Array; readonly ms: number } | undefined;

	constructor(private readonly node: Child) {}

	limit(rate: number): void {
		this.rate = rate;
		this.sent = 0;
		this.sinceMs = Date.now();
	}

	async run(): Promise<void> {
		const tasks = Array.from({ length: SENDERS }, () => this.pay());
		await Promise.all([...tasks, this.ask(), this.refer()]);
	}

	private async refer(): Promise<void> {
		while (!this.isOver) {
			const block = (await this.node.post("/wallet/getnowblock", {})) as {
				readonly blockID: string;
				readonly block_header: { readonly raw_data: { readonly timestamp: number } };
			};
			this.reference = { id: Buffer.from(block.blockID, "hex"), ms: block.block_header.raw_data.timestamp };
			await sleep(500);
		}
	}

	private async pay(): Promise<void> {
		while (!this.isOver) {
			const due = ((Date.now() - this.sinceMs) / 1000) * this.rate;
			if (!this.reference || this.sent >= due) {
				await sleep(5);
				continue;
			}
			this.sent++;
			const { bytes } = payment(random, this.reference.id, this.reference.ms);
			const answer = (await this.node.post("/wallet/broadcasthex", { transaction: toHex(bytes) })) as {
				readonly result?: boolean;
			};
			if (answer.result === true) this.accepted++;
			else this.refused++;
		}
	}

	/** About twenty queries per second, of all kinds that keep state in the node. */
	private async ask(): Promise<void> {
		const rpc = (method: string, params: readonly unknown[]) =>
			this.node.post("/jsonrpc", { jsonrpc: "2.0", id: 1, method, params }, true);
		while (!this.isOver) {
			const payer = toHex(payers[between(random, 0, payers.length - 1)] as Uint8Array);
			const filter = (await rpc("eth_newBlockFilter", [])) as { readonly result?: string };
			await Promise.all([
				this.node.post("/wallet/getaccount", { address: payer }),
				this.node.post("/wallet/getaccountresource", { address: toHex(receiver(random)) }),
				this.node.post("/wallet/getblockbylatestnum", { num: 3 }),
				rpc("eth_getBalance", [`0x${payer.slice(2)}`, "latest"]),
				rpc("eth_getLogs", [{ fromBlock: "latest", toBlock: "latest" }]),
				rpc("eth_getFilterChanges", [filter.result]),
			]);
			// Removes the filter: the chain is so fast that an unread one would collect thousands of blocks.
			await rpc("eth_uninstallFilter", [filter.result]);
			this.answered += 7;
			await sleep(300);
		}
	}
}

const median = (numbers: readonly number[]): number =>
	[...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
const inMiB = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Small stores don't matter. */
const SMALL = 100;

/**
 * Samples taken when no cache can grow any more: both its generations were full, or at their final size.
 * @throws {DayError} if there are too few
 */
function whenFull(samples: readonly DaySample[]): readonly DaySample[] {
	const last = samples.at(-1)?.caches ?? [];
	const cacheOf = ({ caches }: DaySample, store: string) => caches.find((each) => each.store === store);
	const isFull = (sample: DaySample): boolean =>
		last.every(({ store, entries }) => {
			const cache = cacheOf(sample, store);
			return (cache?.turns ?? 0) >= 2 || (cache?.entries ?? 0) >= entries * FULL - SMALL;
		});
	const first = samples.findIndex(isFull);
	const caches = last.map(({ store, entries, turns }) => `${store} ${entries} (full ${turns} times)`);
	process.stdout.write(`caches in the end: ${caches.join(", ")}\n`);
	process.stdout.write(`full at block ${samples[first]?.head} of ${samples.at(-1)?.head}\n`);
	if (first < 0 || first > samples.length * WARM_UP) throw new DayError("the caches were not full in time");
	return samples.slice(first);
}

/** @throws {DayError} if the last third needs more than the first */
function compare(what: string, bytes: readonly number[]): void {
	const third = Math.max(1, Math.floor(bytes.length / 3));
	const [first, last] = [median(bytes.slice(0, third)), median(bytes.slice(-third))];
	const growth = last / first - 1;
	process.stdout.write(
		`${what}: ${inMiB(first)}, in the end ${inMiB(last)} (${(growth * 100).toFixed(1)} %)\n`,
	);
	if (growth > MAX_GROWTH) throw new DayError(`${what} grows by ${(growth * 100).toFixed(1)} %`);
}

async function untilSame(node: Child, peer: Child): Promise<DaySample> {
	const limitMs = Date.now() + CATCH_UP_MS;
	for (;;) {
		const [a, b] = [await node.sample(), await peer.sample()];
		if (a.head - b.head <= 40) return a;
		if (Date.now() > limitMs) throw new DayError(`the peer is at block ${b.head} of ${a.head}`);
		await sleep(500);
	}
}

const hosts = ["127.0.0.1", "127.0.0.2"] as const;
const startMs = Date.now();
const shared = {
	genesisMs: startMs - 25 * 3_600_000 - (startMs % 3_000),
	startMs,
	speed: chainMs / runMs,
	chainMs,
};
const [nodePorts, peerPorts] = await Promise.all([portsOf(hosts[0]), portsOf(hosts[1])]);
const node = await Child.start({
	...shared,
	directory: join(root, "node"),
	host: hosts[0],
	ports: nodePorts,
	source: undefined,
});
const peerOptions: DayOptions = {
	...shared,
	directory: join(root, "peer"),
	host: hosts[1],
	ports: peerPorts,
	source: { host: hosts[0], port: nodePorts.peer },
};
let peer = await Child.start(peerOptions);
const traffic = new Traffic(node);
const running = traffic.run();
running.catch(() => {});

await sleep(PEAK_MS / 2);
const before = traffic.accepted;
await sleep(PEAK_MS / 2);
const peak = (traffic.accepted - before) / (PEAK_MS / 2000);
traffic.limit(peak / 2);
process.stdout.write(`peak ${peak.toFixed(0)} payments a second, goes on with half of it\n`);

let restarts = 0;
let restarting: Promise<unknown> = Promise.resolve();

async function restartPeer(): Promise<void> {
	await peer.end(restarts++ % 2 === 0 ? "SIGTERM" : "SIGKILL");
	peer = await Child.start(peerOptions);
	await untilSame(node, peer);
}

function tell({ head, headMs, used, resident, peers }: DaySample): void {
	const minutes = ((Date.now() - startMs) / 60_000).toFixed(1);
	const hours = ((headMs - shared.genesisMs) / 3_600_000).toFixed(1);
	process.stdout.write(
		`${minutes} min: ${hours} h, block ${head}, objects ${inMiB(used)}, resident ${inMiB(resident)}, ` +
			`${traffic.accepted} payments, ${traffic.answered} queries, ${peers} peers\n`,
	);
}

const samples: DaySample[] = [];
while (Date.now() - startMs < runMs) {
	await Promise.race([sleep(Math.min(10_000, runMs / 60)), running]);
	const sample = await node.sample();
	samples.push(sample);
	tell(sample);
	if (sample.headMs - shared.genesisMs >= chainMs - SLOT_MS) break;
	if ((Date.now() - startMs) / runMs < (restarts + 1) / (RESTARTS + 1)) continue;
	restarting = restarting.then(restartPeer);
	restarting.catch(() => {});
}
await restarting;
traffic.isOver = true;
await running;
const last = await untilSame(node, peer);
await node.end("SIGTERM");
const again = await Child.start({ ...node.options, source: { host: hosts[1], port: peerPorts.peer } });
const reopened = await again.sample();
if (reopened.head < last.head)
	throw new DayError(`after a restart the head is ${reopened.head}, not ${last.head}`);
await Promise.all([again.end("SIGTERM"), peer.end("SIGTERM")]);
rmSync(root, { recursive: true, force: true });
const hours = ((last.headMs - shared.genesisMs) / 3_600_000).toFixed(1);
process.stdout.write(
	`${hours} h of the chain, ${last.head} blocks, ${traffic.accepted} payments (${traffic.refused} refused), ` +
		`${traffic.answered} queries, ${restarts} restarts of the peer\n`,
);
const steady = whenFull(samples);
compare(
	"objects",
	steady.map(({ used }) => used),
);
compare(
	"resident memory",
	steady.map(({ resident }) => resident),
);
