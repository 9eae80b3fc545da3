/**
 * Throughput over HTTP and JSON-RPC of a development chain with a block of transfers per second: autocannon
 * in this process, the node in another. Balance queries vary the account, so that answers can't be cached;
 * log queries named `past` use 100,000 blocks. Bare servers, and optionally another build, take turns.
 *
 * npm run tool bench:api -- [seconds a turn] [connections…] [names of queries…] [--rounds <turns>] [--beside
 * <dist/bench/api.js of another build>]
 */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type Autocannon from "autocannon";
import { toHex } from "../src/protocol/bytes.js";
import { keccak256 } from "../src/protocol/hash.js";
import { type BarePorts, serveBare } from "./api/bare-servers.js";
import type { Report } from "./api/reports.js";
import { addressOf, type Served, serve, serveLogs } from "./api/served-chain.js";
import { balanceOf, deployLoops, deployToken, sendTransfers, sortOf } from "./api/traffic.js";
import { LOG_QUERIES } from "./logs/written-chain.js";

// Not bundled: it declares a variable that shadows a global.
const autocannon = createRequire(import.meta.url)("autocannon") as typeof Autocannon;

/** Each connection copies all requests before it starts. */
const ASKED_ACCOUNTS = 32;

/** A block with transfers. */
const BLOCK = 4;

/** Numbers to sort per contract call. */
const SORTED = 100;

/** Length of the chain for log queries. */
const PAST_BLOCKS = 100_000;

/** Requests per query that warm up the JIT, and the node's compilation of contracts. */
const WARM_UP = 4_000;

/** How long idle CPU usage is measured. */
const IDLE_MS = 3_000;

interface Query {
	readonly name: string;
	readonly url: string;
	readonly bodies: readonly string[];
}

const rpc = (
	port: number,
	method: string,
	params: readonly (readonly unknown[])[],
	name = method,
): Query => ({
	name,
	url: `http://127.0.0.1:${port}/jsonrpc`,
	bodies: params.map((list) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: list })),
});

const hex = (bytes: Uint8Array): string => `0x${toHex(bytes)}`;

interface Contracts {
	readonly token: Uint8Array;
	readonly loops: Uint8Array;
}

function queries({ http, jsonrpc }: Served, { token, loops }: Contracts): readonly Query[] {
	const accounts = Array.from({ length: ASKED_ACCOUNTS }, (_, i) => addressOf(i));
	const wallet = (name: string, bodies: readonly object[]): Query => ({
		name,
		url: `http://127.0.0.1:${http}/wallet/${name}`,
		bodies: bodies.map((body) => JSON.stringify(body)),
	});
	const hex20 = (address: Uint8Array): string => hex(address.subarray(1));
	const transferred = hex(keccak256(Buffer.from("Transfer(address,address,uint256)")));
	const logs = { address: hex20(token), topics: [transferred], fromBlock: "0x0", toBlock: "latest" };
	const sort = { to: hex20(loops), data: `0x${sortOf(SORTED)}` };
	return [
		wallet("getnowblock", [{}]),
		wallet("getblockbynum", [{ num: BLOCK }]),
		wallet("gettransactioninfobyblocknum", [{ num: BLOCK }]),
		wallet(
			"getaccount",
			accounts.map((address) => ({ address: toHex(address) })),
		),
		wallet(
			"triggerconstantcontract",
			accounts.map((address) => ({
				owner_address: toHex(address),
				contract_address: toHex(token),
				data: balanceOf(address),
			})),
		),
		rpc(
			jsonrpc,
			"eth_getBalance",
			accounts.map((address) => [hex20(address), "latest"]),
		),
		rpc(
			jsonrpc,
			"eth_call",
			accounts.map((address) => [{ to: hex20(token), data: `0x${balanceOf(address)}` }, "latest"]),
		),
		rpc(jsonrpc, "eth_call", [[sort, "latest"]], "eth_call sort"),
		rpc(jsonrpc, "eth_getLogs", [[logs]]),
	];
}

/** Queries of the long chain. */
const pastQueries = ({ jsonrpc }: Served): readonly Query[] =>
	Object.entries(LOG_QUERIES).map(([about, { addresses, topics }]) => {
		const filter = { address: addresses.map(hex), topics: topics.map((list) => list.map(hex)) };
		const range = { fromBlock: "0x0", toBlock: "latest" };
		return rpc(jsonrpc, "eth_getLogs", [[{ ...filter, ...range }]], `past ${about}`);
	});

/** A server process. */
class Server<T> {
	/** CPU usage while idle, in microseconds per second. */
	idleUs = 0;

	private constructor(
		readonly name: string,
		private readonly child: ChildProcess,
		readonly ports: T,
	) {}

	static async start<T>(name: string, file: string, kind: string): Promise<Server<T>> {
		const child = fork(file, ["--serve", kind]);
		const ports = await new Promise<T>((resolve, reject) => {
			child.once("message", (message) => resolve(message as T));
			child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
		});
		return new Server(name, child, ports);
	}

	report(): Promise<Report> {
		return new Promise((resolve) => {
			this.child.once("message", (message) => resolve(message as Report));
			this.child.send("report");
		});
	}

	async watchIdle(): Promise<void> {
		const before = await this.report();
		const started = performance.now();
		await sleep(IDLE_MS);
		const { cpuUs } = await this.report();
		this.idleUs = ((cpuUs - before.cpuUs) * 1_000) / (performance.now() - started);
	}

	close(): void {
		this.child.removeAllListeners("exit");
		this.child.disconnect();
	}
}

/** One query to one program. */
interface Asked {
	readonly program: string;
	readonly server: Server<unknown>;
	readonly query: Query;
}

/** Programs to compare; the first is this one. */
type Programs = readonly (readonly [name: string, file: string])[];

interface Measurement {
	readonly seconds: number;
	readonly connections: readonly number[];
	readonly names: readonly string[];
	readonly rounds: number;
}

/** Queries per program, in the same order, with their servers. */
interface Prepared {
	readonly asked: readonly (readonly Asked[])[];
	close(): Promise<void>;
}

/** Starts and fills the chains. */
async function prepareChains(programs: Programs): Promise<Prepared> {
	const servers = await Promise.all(
		programs.map(([name, file]) => Server.start<Served>(name, file, "chain")),
	);
	const urls = servers.map(({ ports }) => `http://127.0.0.1:${ports.http}`);
	const lists = await Promise.all(
		servers.map(async (server, i) => {
			const url = urls[i] as string;
			const contracts = { token: await deployToken(url), loops: await deployLoops(url) };
			return queries(server.ports, contracts).map(
				(query): Asked => ({ program: server.name, server, query }),
			);
		}),
	);
	let sending: Promise<unknown> = Promise.resolve();
	const traffic = setInterval(() => {
		sending = sending.then(() => Promise.all(urls.map(sendTransfers)));
	}, 1_000);
	await Promise.all(urls.map((url) => reached(url, BLOCK)));
	await Promise.all(servers.map((server) => server.watchIdle()));
	const close = async (): Promise<void> => {
		clearInterval(traffic);
		await sending;
		for (const server of servers) server.close();
	};
	return { asked: lists, close };
}

/** Starts servers with the long chains. */
async function preparePast(programs: Programs): Promise<Prepared> {
	const servers = await Promise.all(programs.map(([name, file]) => Server.start<Served>(name, file, "past")));
	const asked = servers.map((server) =>
		pastQueries(server.ports).map((query): Asked => ({ program: server.name, server, query })),
	);
	return { asked, close: async () => servers.forEach((server) => void server.close()) };
}

/** Waits until the chain has this block. */
async function reached(url: string, num: number): Promise<void> {
	const body = JSON.stringify({ num });
	for (;;) {
		const answer = await fetch(`${url}/wallet/getblockbynum`, { method: "POST", body });
		if ((await answer.text()).includes("block_header")) return;
		await sleep(100);
	}
}

/** Measures each query alternately, and prints a line per program and bare server. */
async function measure(
	{ asked }: Prepared,
	bare: Server<BarePorts>,
	{ seconds, connections, names, rounds }: Measurement,
): Promise<void> {
	for (const [i, { query }] of (asked[0] ?? []).entries()) {
		if (names.length > 0 && !names.includes(query.name)) continue;
		const own = asked.map((list) => list[i] as Asked);
		const bytes = await answerLength(query);
		const bareAsked = Object.entries(bare.ports).map(
			([name, port]): Asked => ({
				program: `bare ${name}`,
				server: bare,
				query: { ...query, url: `http://127.0.0.1:${port}/${bytes}` },
			}),
		);
		const all = [...own, ...bareAsked];
		for (const count of connections) {
			for (const each of all) await run(each, count, { amount: WARM_UP });
			const runs: RunResult[][] = all.map(() => []);
			for (let round = 0; round < rounds; round++)
				for (const [at, each] of all.entries()) runs[at]?.push(await run(each, count, { duration: seconds }));
			for (const [at, { program }] of all.entries()) {
				const result = best(runs[at] ?? []);
				const line = { query: query.name, connections: count, bytes, program, ...result };
				process.stdout.write(`${JSON.stringify(line)}\n`);
			}
		}
	}
}

/** The run with the least CPU time per request: other load on the machine only increases it. */
const best = (runs: readonly RunResult[]): RunResult | undefined =>
	runs.toSorted((a, b) => a.cpuUsARequest - b.cpuUsARequest)[0];

interface RunResult {
	readonly answers: number;
	readonly requestsPerSecond: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	readonly failed: number;
	/** CPU time of the server, without that used while idle. */
	readonly cpuUsARequest: number;
	readonly rssMiB: number;
	readonly blocks: number;
	readonly missed: number;
	readonly lateMs: number;
}

async function run(
	{ server, query: { url, bodies } }: Asked,
	connections: number,
	length: { readonly duration: number } | { readonly amount: number },
): Promise<RunResult> {
	const before = await server.report();
	const started = performance.now();
	const result = await autocannon({
		url,
		connections,
		...length,
		requests: bodies.map((body) => ({ method: "POST" as const, body })),
		headers: { "content-type": "application/json" },
	});
	const { cpuUs, ...rest } = await server.report();
	const ownUs = (server.idleUs * (performance.now() - started)) / 1_000;
	const answers = result.requests.total;
	return {
		answers,
		requestsPerSecond: Math.round(result.requests.average),
		p50Ms: result.latency.p50,
		p99Ms: result.latency.p99,
		failed: result.non2xx + result.errors,
		cpuUsARequest: Math.round((10 * (cpuUs - before.cpuUs - ownUs)) / Math.max(1, answers)) / 10,
		...rest,
	};
}

/** Rejects failures, which have status 200, too. @returns length of an answer's body */
async function answerLength({ url, bodies: [body = ""] }: Query): Promise<number> {
	const answer = await fetch(url, { method: "POST", body });
	const text = await answer.text();
	if (/"error"|"Error"|OTHER_ERROR/.test(text) || text.length < 10) throw new Error(`${url}: ${text}`);
	return Buffer.byteLength(text);
}

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		options: { rounds: { type: "string", default: "3" }, beside: { type: "string" } },
		allowPositionals: true,
	});
	const [seconds = 3, ...connections] = positionals.map(Number).filter((value) => value > 0);
	const names = positionals.filter((word) => Number.isNaN(Number(word)));
	const file = fileURLToPath(import.meta.url);
	const programs: Programs = [["this", file], ...(values.beside ? [["beside", values.beside] as const] : [])];
	const asked: Measurement = {
		...{ seconds, names, rounds: Number(values.rounds) },
		connections: connections.length > 0 ? connections : [1, 16, 256],
	};
	const bare = await Server.start<BarePorts>("bare", file, "bare");
	for (const [isPast, prepare] of [
		[false, prepareChains],
		[true, preparePast],
	] as const) {
		if (names.length > 0 && !names.some((name) => name.startsWith("past") === isPast)) continue;
		const prepared = await prepare(programs);
		await measure(prepared, bare, asked);
		await prepared.close();
	}
	bare.close();
}

const [, , mode, kind] = process.argv;
if (mode !== "--serve") await main();
else if (kind === "bare") await serveBare();
else if (kind === "past") await serveLogs(PAST_BLOCKS);
else await serve();
