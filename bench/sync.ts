/**
 * Cost of the peer network: one node syncs a recording from another over localhost, compared with importing
 * it from a file; then a recorded block is relayed along a chain of four nodes. Each node is a process.
 *
 * npm run tool bench:sync -- [folder of a recorded set]
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readBlockFile } from "../src/node/chain/block-file.js";
import { importBlocks } from "../src/node/chain/importer.js";
import { OpenChain } from "../src/node/chain/open-chain.js";
import type { NodeConfig } from "../src/node/config/config.js";
import { createContractMachine } from "../src/node/contract-runner.js";
import type { PeerMeter } from "../src/node/network/metered-environment.js";
import { startNetwork } from "../src/node/network/network.js";
import { nodeEnvironment } from "../src/node/network/node-environment.js";
import { loadShieldedSupport } from "../src/node/shielded-support.js";
import { installRecoverEngine } from "../src/node/signatures/engine.js";
import { SignaturePool, workerScript } from "../src/node/signatures/pool.js";
import { SignedBlock } from "../src/protocol/block.js";
import { useFastHashing } from "../src/protocol/hash.js";
import { DEFAULT_SET } from "./recorded/default-set.js";
import { recordedConfig } from "./recorded/recorded-config.js";

const HOST = "127.0.0.1";
const CHAIN_LENGTH = 4;
/** Blocks relayed one by one; the first few are warm-up. */
const RELAYED = 40;
const WARM_UP = 10;
const REST_MS = 120;

interface Node {
	readonly open: OpenChain;
	readonly pool: SignaturePool;
	readonly config: NodeConfig;
	close(): Promise<void>;
}

/** A node with an empty directory, without peers. */
async function openNode(folder: string, ports: { listen: number; dial?: number | undefined }): Promise<Node> {
	const script = workerScript();
	if (!script) throw new Error("run this from the bundle: npm run tool bench:sync");
	installRecoverEngine();
	await useFastHashing();
	const pool = await SignaturePool.start(script, Number(process.env["BENCH_THREADS"] ?? 1));
	const loaded = recordedConfig(folder);
	const active = ports.dial === undefined ? [] : [{ host: HOST, port: ports.dial }];
	const passive = [{ host: HOST, port: 1 }];
	const peers = { ...loaded.node.peers, listenPort: ports.listen, active, passive };
	const config = { ...loaded, node: { ...loaded.node, peers } };
	const directory = mkdtempSync(join(tmpdir(), "coin-sync-"));
	const open = await OpenChain.open({
		config,
		dataDirectory: directory,
		clock: () => BigInt(Date.now()),
		shielded: await loadShieldedSupport(config, false),
		machine: createContractMachine(config, false).run,
		onStorageFailure: (error) => {
			throw error;
		},
	});
	return {
		open,
		pool,
		config,
		async close() {
			await pool.close();
			rmSync(directory, { recursive: true, force: true });
		},
	};
}

/** @param meter called for received messages */
function joinNetwork({ open, pool, config }: Node, meter?: PeerMeter) {
	return startNetwork({
		meter,
		environment: nodeEnvironment(),
		config,
		open,
		pool,
		producers: [],
		host: HOST,
		lan: { ipv4: HOST, ipv6: "" },
		dataDirectory: undefined,
		log: {
			info: () => {},
			warn: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
		},
		report: (error, where) => {
			throw new Error(where, { cause: error });
		},
	});
}

function say(message: object): void {
	process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** The system's monotonic clock in nanoseconds, common to all processes. */
const clock = () => process.hrtime.bigint();

const orders = () => createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Has all blocks, and serves them to peers. */
async function serve(folder: string, listen: number): Promise<void> {
	const node = await openNode(folder, { listen });
	await importBlocks(node, readBlockFile(join(folder, `${basename(folder)}.ndjson.br`)));
	const network = await joinNetwork(node);
	say({ head: Number(node.open.chain.state.properties.headNumber) });
	await orders().next();
	await network.stop();
	await node.open.close();
	await node.close();
}

/** Starts empty, and syncs all blocks. */
async function fetch(folder: string, dial: number, head: number): Promise<void> {
	const node = await openNode(folder, { listen: 0, dial });
	let transactions = 0;
	const started = performance.now();
	let firstMs = 0;
	const done = new Promise<void>((resolve) => {
		node.open.chain.observe({
			committed: ({ block }: { readonly block: SignedBlock }) => {
				firstMs ||= performance.now() - started;
				transactions += block.transactions.length;
				if (Number(block.number) === head) resolve();
			},
		});
	});
	const network = await joinNetwork(node);
	await done;
	const appliedMs = performance.now() - started;
	const closing = performance.now();
	await node.open.close();
	const closingMs = performance.now() - closing;
	say({
		transactions,
		firstMs,
		appliedMs,
		closingMs,
		peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
	});
	await network.stop();
	await node.close();
}

/** A node of the chain: the first sends blocks; each reports when a block arrived and became its head. */
async function relay(folder: string, listen: number, dial: number | undefined): Promise<void> {
	const node = await openNode(folder, { listen, dial });
	const { open } = node;
	const blocks = new Map<number, SignedBlock>();
	for await (const bytes of readBlockFile(join(folder, `${basename(folder)}.ndjson.br`))) {
		const block = SignedBlock.decode(bytes);
		// All nodes start with the blocks before the first transaction; the first node has the rest to send.
		if (block.transactions.length === 0 && blocks.size === 0) await importBlocks(node, [bytes]);
		else if (blocks.size <= RELAYED && dial === undefined) blocks.set(Number(block.number), block);
		else break;
	}
	let arrived = 0n;
	const ignored = () => {};
	const network = await joinNetwork(node, {
		bytes: ignored,
		processed: ignored,
		disconnected: ignored,
		failed: ignored,
		blockFetched: ignored,
		transactionFetched: ignored,
		greeted: ignored,
		blockJudged: ignored,
		blockTaken: ignored,
		pinged: ignored,
		blockReceived: () => {
			arrived = clock();
		},
	});
	open.chain.observe({
		committed: () => say({ arrived: String(arrived), at: String(clock()) }),
	});
	say({ next: Number(open.chain.state.properties.headNumber) + 1 });
	const lines = orders();
	for (let line = await lines.next(); !line.done && line.value !== "end"; line = await lines.next()) {
		if (line.value === "peers") {
			say({ peers: network.peers().length });
			continue;
		}
		const block = blocks.get(Number(line.value));
		if (!block) throw new Error(`no block ${line.value}`);
		const at = clock();
		open.chain.observers.publish("produced", block);
		open.chain.push(block, "peer");
		say({ transactions: block.transactions.length, at: String(at) });
	}
	await network.stop();
	await open.close();
	await node.close();
}

// The coordinating process.

/** Reports of workers, each with some of these members. */
interface Said {
	readonly head: number;
	readonly next: number;
	readonly peers: number;
	readonly transactions: number;
	/** Nanoseconds: when a block arrived, and when it became the head. */
	readonly arrived: string;
	readonly at: string;
	readonly firstMs: number;
	readonly appliedMs: number;
	readonly closingMs: number;
	readonly peakMiB: number;
}

interface Worker {
	readonly process: ChildProcess;
	tell(line: string): void;
	/** Discards further reports. */
	mute(): void;
	hear(): Promise<Said>;
	ended: Promise<void>;
}

function start(...args: (string | number)[]): Worker {
	const child = spawn(process.execPath, [process.argv[1] as string, ...args.map(String)], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	const input = createInterface({ input: child.stdout });
	const lines = input[Symbol.asyncIterator]();
	return {
		mute: () => void drain(lines),
		process: child,
		tell: (line) => child.stdin.write(`${line}\n`),
		async hear() {
			const line = await lines.next();
			if (line.done) throw new Error(`${args[0]} said nothing more`);
			return JSON.parse(line.value);
		},
		ended: new Promise((resolve, reject) => {
			child.on("exit", (code) =>
				code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`)),
			);
		}),
	};
}

async function drain(lines: AsyncIterator<string>): Promise<void> {
	while (!(await lines.next()).done);
}

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	if (address === null || typeof address === "string") throw new Error("no port");
	return address.port;
}

async function measureImport(folder: string): Promise<number> {
	const script = join(dirname(fileURLToPath(import.meta.url)), "import.js");
	const child = spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
	let text = "";
	for await (const chunk of child.stdout) text += chunk;
	return JSON.parse(text).perSecond;
}

async function measureSync(
	folder: string,
): Promise<{ readonly perSecond: number } & Readonly<Record<string, number>>> {
	const port = await freePort();
	const server = start("serve", folder, port);
	const { head } = await server.hear();
	const client = start("fetch", folder, port, head);
	const { transactions, firstMs, appliedMs, closingMs, peakMiB } = await client.hear();
	await client.ended;
	server.tell("end");
	await server.ended;
	const seconds = (appliedMs + closingMs) / 1000;
	return {
		transactions,
		seconds: round(seconds),
		perSecond: Math.round(transactions / seconds),
		firstBlockMs: round(firstMs),
		closingMs: round(closingMs),
		peakMiB,
	};
}

async function measureHops(folder: string): Promise<object> {
	const ports = await Promise.all(Array.from({ length: CHAIN_LENGTH }, freePort));
	const chain: Worker[] = [];
	let next = 0;
	for (const [i, port] of ports.entries()) {
		const worker = start("relay", folder, port, i === 0 ? "" : (ports[i - 1] as number));
		next = (await worker.hear()).next;
		chain.push(worker);
	}
	const first = chain[0] as Worker;
	const last = chain.at(-1) as Worker;
	for (const worker of chain.slice(1, -1)) worker.mute();
	for (let tries = 0; tries < 50; tries++) {
		last.tell("peers");
		const { peers } = await last.hear();
		if (peers > 0) break;
		await pause(200);
	}
	await pause(1_000);
	const arrivals: number[] = [];
	const heads: number[] = [];
	const from = next;
	for (let number = from; number < from + RELAYED; number++) {
		first.tell(String(number));
		await first.hear();
		const { transactions, at: sentAt } = await first.hear();
		const { arrived, at } = await last.hear();
		if (number >= from + WARM_UP && transactions > 0) {
			arrivals.push(Number(BigInt(arrived) - BigInt(sentAt)) / 1e6);
			heads.push(Number(BigInt(at) - BigInt(sentAt)) / 1e6);
		}
		await pause(REST_MS);
	}
	for (const worker of chain) worker.tell("end");
	await Promise.all(chain.map((worker) => worker.ended));
	return { blocks: heads.length, arrivedMs: distribution(arrivals), appliedMs: distribution(heads) };
}

function distribution(times: readonly number[]): object {
	const sorted = [...times].sort((a, b) => a - b);
	const at = (share: number) =>
		round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
	return { median: at(0.5), p90: at(0.9), slowest: at(1) };
}

function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

function round(value: number): number {
	return Math.round(value * 100) / 100;
}

const [role, ...rest] = process.argv.slice(2);
const [folder = DEFAULT_SET, second, third] = rest;
if (role === "serve") await serve(folder, Number(second));
else if (role === "fetch") await fetch(folder, Number(second), Number(third));
else if (role === "relay") await relay(folder, Number(second), third ? Number(third) : undefined);
else {
	const set = role ?? DEFAULT_SET;
	const importPerSecond = await measureImport(set);
	const sync = await measureSync(set);
	const hops = await measureHops(set);
	const share = round(sync.perSecond / importPerSecond);
	say({ set: basename(set), importPerSecond, sync, share, hops });
}
// An open standard input would keep the process running.
process.stdin.destroy();
