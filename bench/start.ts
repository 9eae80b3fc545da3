/**
 * Startup time until a node answers, and its idle memory: a development chain with all servers, and a
 * network's node with an empty directory and an open peer port. Medians of several starts; CPU time and
 * memory need Linux. A first start, which isn't counted, fills the cache of compiled code.
 * Last, the time that `coin balance` takes beside Node.js alone.
 *
 * npm run tool bench:start -- [starts] [milliseconds of quiet before memory is read]
 */

import { type ChildProcess, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePorts, startNode } from "./program/start-node.js";

/** Compiled code has been cached by then (bin/kept-code.js). */
const WARM_UP_MS = 6_000;
/** Unit of CPU times in /proc. */
const TICK_MS = 10;

interface Start {
	/** From process start to the complete first answer of getnowblock. */
	readonly answerMs: number;
	/** CPU time of all threads until then. */
	readonly cpuMs: number;
	/** Resident memory when idle. */
	readonly rssMiB: number;
	readonly threads: number;
}

function developmentWords([
	http,
	solidity,
	jsonrpc,
	grpc,
	grpcSolidity,
	gateway,
]: readonly number[]): string[] {
	const ports = { http, solidity, jsonrpc, grpc, "grpc-solidity": grpcSolidity };
	const words = Object.entries(ports).flatMap(([name, port]) => [`--${name}-port`, String(port)]);
	return [...words, "--port", String(gateway)];
}

function networkWords(
	[http, solidity, pbft, grpc, grpcSolidity, peer]: readonly number[],
	folder: string,
): string[] {
	const config = join(folder, "config.conf");
	writeFileSync(
		config,
		`storage { db.directory = database }
node { http { fullNodePort = ${http}, solidityPort = ${solidity}, PBFTPort = ${pbft} }
  rpc { port = ${grpc}, solidityPort = ${grpcSolidity}, PBFTEnable = false }
  listen.port = ${peer}, discovery.enable = false }
genesis.block { timestamp = "0", parentHash = "0x00"
  assets = [
    { accountName = Zion, accountType = AssetIssue, address = TErGVpctkrkeAoEbYpDito5edEKsQDYt9X, balance = "95000000000000000" }
    { accountName = Blackhole, accountType = AssetIssue, address = TBTVUiQsfEzSsZe7SxEDJ5j95pasVRrDWU, balance = "-9223372036854775808" }
  ]
  witnesses = [{ address: TEhSg6EDrWrokpQocxc6cDpcJqjzhG2fqQ, url = "http://witness", voteCount = 10 }] }
localwitness = []
`,
	);
	return ["-c", config, "-d", join(folder, "data"), "--host", "127.0.0.1"];
}

function processorMs({ pid }: ChildProcess): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function statusOf({ pid }: ChildProcess, name: string): number {
	return Number(
		new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1],
	);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function startOnce(kind: Kind, quietMs: number): Promise<Start> {
	const folder = mkdtempSync(join(tmpdir(), "coin-bench-start-"));
	const ports = await freePorts(6);
	const words = kind === "development" ? developmentWords(ports) : networkWords(ports, folder);
	const { child, answerMs, stop } = await startNode(words, folder, ports[0] as number);
	try {
		const cpuMs = processorMs(child);
		await pause(quietMs);
		return { answerMs, cpuMs, rssMiB: statusOf(child, "VmRSS") / 1024, threads: statusOf(child, "Threads") };
	} finally {
		await stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

const KINDS = ["development", "network"] as const;
type Kind = (typeof KINDS)[number];

function median(starts: readonly Start[], name: keyof Start): number {
	const sorted = starts.map((start) => start[name]).sort((a, b) => a - b);
	return Math.round(sorted[sorted.length >> 1] ?? Number.NaN);
}

function runMs(words: readonly string[], folder: string): number {
	const env = { ...process.env, COIN_CONFIG_DIR: folder, COIN_DATA_DIR: folder };
	const started = performance.now();
	const { status, stderr } = spawnSync(process.execPath, words, { env });
	if (status !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
	return performance.now() - started;
}

/** Alternating, after one of each that isn't counted. */
async function compareBalance(times: number): Promise<object> {
	const folder = mkdtempSync(join(tmpdir(), "coin-bench-start-"));
	const ports = await freePorts(6);
	const { stop } = await startNode(developmentWords(ports), folder, ports[0] as number);
	const words = ["balance", "TErGVpctkrkeAoEbYpDito5edEKsQDYt9X", "--node", `http://127.0.0.1:${ports[0]}`];
	const taken: (readonly [command: number, bare: number])[] = [];
	try {
		for (let i = 0; i <= times; i++)
			taken.push([runMs([resolve("bin/coin.js"), ...words], folder), runMs(["-e", "0"], folder)]);
	} finally {
		await stop();
		rmSync(folder, { recursive: true, force: true });
	}
	const middle = (at: 0 | 1): number | undefined =>
		taken
			.slice(1)
			.map((pair) => Math.round(pair[at]))
			.sort((a, b) => a - b)[times >> 1];
	return { command: "coin balance", runs: times, medianMs: middle(0), bareNodeMs: middle(1) };
}

const [count = 9, quietMs = 3_000] = process.argv.slice(2).map(Number);
for (const kind of KINDS) {
	await startOnce(kind, WARM_UP_MS);
	const starts: Start[] = [];
	for (let i = 0; i < count; i++) starts.push(await startOnce(kind, quietMs));
	const row = {
		node: kind,
		starts: count,
		firstAnswerMs: median(starts, "answerMs"),
		soonestMs: Math.round(Math.min(...starts.map(({ answerMs }) => answerMs))),
		cpuMs: median(starts, "cpuMs"),
		idleRssMiB: median(starts, "rssMiB"),
		threads: median(starts, "threads"),
	};
	process.stdout.write(`${JSON.stringify(row)}\n`);
}
process.stdout.write(`${JSON.stringify(await compareBalance(count))}\n`);
