/**
 * Queries a second over HTTP and JSON-RPC, while a development chain seals a block of transfers every second:
 * autocannon in this process, the node in another. Queries of balances ask for another account each time, so that no
 * answer can be kept.
 *
 * npm run tool bench:api -- [seconds a run] [connections…] [names of queries…]
 */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type Autocannon from "autocannon";
import { toHex } from "../src/protocol/bytes.js";
import { keccak256 } from "../src/protocol/hash.js";
import { addressOf, type Report, type Served, serve } from "./api/served-chain.js";
import { balanceOf, deployToken, sendTransfers } from "./api/traffic.js";

// Not bundled: it brings a variable of a global's name.
const autocannon = createRequire(import.meta.url)("autocannon") as typeof Autocannon;

/** Every connection makes its own copy of all requests before it starts. */
const ASKED_ACCOUNTS = 32;

/** One with payments. */
const BLOCK = 4;

interface Query {
	readonly name: string;
	readonly url: string;
	readonly bodies: readonly string[];
}

function queries({ http, jsonrpc }: Served, token: Uint8Array): readonly Query[] {
	const accounts = Array.from({ length: ASKED_ACCOUNTS }, (_, i) => addressOf(i));
	const wallet = (name: string, bodies: readonly object[]): Query => ({
		name,
		url: `http://127.0.0.1:${http}/wallet/${name}`,
		bodies: bodies.map((body) => JSON.stringify(body)),
	});
	const rpc = (method: string, params: readonly (readonly unknown[])[]): Query => ({
		name: method,
		url: `http://127.0.0.1:${jsonrpc}/jsonrpc`,
		bodies: params.map((list) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: list })),
	});
	const hex20 = (address: Uint8Array): string => `0x${toHex(address.subarray(1))}`;
	const transferred = `0x${toHex(keccak256(Buffer.from("Transfer(address,address,uint256)")))}`;
	const logs = { address: hex20(token), topics: [transferred], fromBlock: "0x0", toBlock: "latest" };
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
			"eth_getBalance",
			accounts.map((address) => [hex20(address), "latest"]),
		),
		rpc(
			"eth_call",
			accounts.map((address) => [{ to: hex20(token), data: `0x${balanceOf(address)}` }, "latest"]),
		),
		rpc("eth_getLogs", [[logs]]),
	];
}

/** Loads the chain, asks, prints a line a run. */
async function measure(
	seconds: number,
	connections: readonly number[],
	names: readonly string[],
): Promise<void> {
	const child = fork(fileURLToPath(import.meta.url), ["--serve"]);
	const served = await new Promise<Served>((resolve, reject) => {
		child.once("message", (message) => resolve(message as Served));
		child.once("exit", (code) => reject(new Error(`the node ended with ${code}`)));
	});
	const url = `http://127.0.0.1:${served.http}`;
	const token = await deployToken(url);
	let sending = Promise.resolve();
	const traffic = setInterval(() => {
		sending = sending.then(() => sendTransfers(url));
	}, 1_000);
	await reached(url, BLOCK);
	for (const query of queries(served, token)) {
		if (names.length > 0 && !names.includes(query.name)) continue;
		for (const count of connections) {
			const before = await reportOf(child);
			const result = await run(query, count, seconds);
			const { cpuUs, rssMiB, blocks, missed, lateMs } = await reportOf(child);
			const cpuUsARequest = Math.round((cpuUs - before.cpuUs) / Math.max(1, result.answers));
			const node = { cpuUsARequest, rssMiB, blocks, missed, lateMs };
			process.stdout.write(
				`${JSON.stringify({ query: query.name, connections: count, ...result, ...node })}\n`,
			);
		}
	}
	clearInterval(traffic);
	await sending;
	child.removeAllListeners("exit");
	child.disconnect();
}

/** Waits until there is a block. */
async function reached(url: string, num: number): Promise<void> {
	const body = JSON.stringify({ num });
	for (;;) {
		const answer = await fetch(`${url}/wallet/getblockbynum`, { method: "POST", body });
		if ((await answer.text()).includes("block_header")) return;
		await sleep(100);
	}
}

function reportOf(child: ChildProcess): Promise<Report> {
	return new Promise((resolve) => {
		child.once("message", (message) => resolve(message as Report));
		child.send("report");
	});
}

interface RunResult {
	readonly answers: number;
	readonly requestsPerSecond: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	readonly failed: number;
}

async function run({ url, bodies }: Query, connections: number, seconds: number): Promise<RunResult> {
	await refuseErrors(url, bodies);
	const result = await autocannon({
		url,
		connections,
		duration: seconds,
		requests: bodies.map((body) => ({ method: "POST" as const, body })),
		headers: { "content-type": "application/json" },
	});
	return {
		answers: result.requests.total,
		requestsPerSecond: Math.round(result.requests.average),
		p50Ms: result.latency.p50,
		p99Ms: result.latency.p99,
		failed: result.non2xx + result.errors,
	};
}

/** Failures have the status of successes: a run of them would be worth nothing. */
async function refuseErrors(url: string, [body = ""]: readonly string[]): Promise<void> {
	const answer = await fetch(url, { method: "POST", body });
	const text = await answer.text();
	if (/"error"|"Error"|OTHER_ERROR/.test(text) || text.length < 10) throw new Error(`${url}: ${text}`);
}

if (process.argv.includes("--serve")) await serve();
else {
	const words = process.argv.slice(2);
	const [seconds = 5, ...connections] = words.map(Number).filter((value) => value > 0);
	const names = words.filter((word) => Number.isNaN(Number(word)));
	await measure(seconds, connections.length > 0 ? connections : [1, 16, 256], names);
}
