/**
 * Queries a second over HTTP, while a development chain seals a block every second: autocannon in this process, the
 * node in another. getaccount asks for another account each time, so that no answer can be kept.
 *
 * npm run bench:api -- [seconds a run] [connections…]
 */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type Autocannon from "autocannon";
import { prepareDevelopment } from "../src/node/development/development.js";
import { startNode } from "../src/node/node.js";
import { contractAddress } from "../src/protocol/address.js";
import { fromHex, toHex } from "../src/protocol/bytes.js";
import { sha256 } from "../src/protocol/hash.js";
import { addressOfPrivateKey, sign } from "../src/protocol/signature.js";

// Not bundled: it brings a variable of a global's name.
const autocannon = createRequire(import.meta.url)("autocannon") as typeof Autocannon;

const ACCOUNTS = 2_000;
const ASKED_ACCOUNTS = 32;
const TRANSFERS_A_BLOCK = 20;
const NO_LIMIT = 1_000_000_000;

const keyOf = (index: number): Uint8Array => sha256(Buffer.from(`bench account ${index}`));
const addressOf = (index: number): Uint8Array => addressOfPrivateKey(keyOf(index));

/** Returns what is stored at 0: SLOAD, MSTORE, RETURN; the constructor stores 42 there. */
const RUNTIME = "60005460005260206000f3";
const BYTECODE = `602a600055600b6011600039600b6000f3${RUNTIME}`;

interface Served {
	readonly port: number;
}

interface Report {
	readonly rssMiB: number;
	/** CPU time of the node since its start, in microseconds. */
	readonly cpuUs: number;
}

/** The child: a development chain whose limits don't limit. */
async function serve(): Promise<void> {
	const development = prepareDevelopment({
		accounts: Array.from({ length: ACCOUNTS }, (_, index) => ({
			address: addressOf(index),
			privateKey: keyOf(index),
			balanceSun: 1_000_000_000_000n,
		})),
		producerKey: keyOf(-1),
		seal: { intervalMs: 1_000 },
		economy: "main",
		parameters: [],
		genesisTimestampMs: BigInt(Date.now()) - 10_000n,
		maintenanceMs: 21_600_000,
		solidLag: 1n,
		dialect: "neutral",
		ports: { http: 1, solidity: 0, pbft: 0, jsonrpc: 0, grpc: 0, grpcSolidity: 0 },
	});
	const { node } = development.config;
	const config = {
		...development.config,
		node: { ...node, http: { ...node.http, full: { enabled: true, port: 0 }, maxConnections: 0 } },
		rateLimiter: { globalQps: NO_LIMIT, globalIpQps: NO_LIMIT, apiQps: NO_LIMIT, http: [], rpc: [] },
	};
	const running = await startNode({
		config,
		development: { ...development, config },
		dataDirectory: undefined,
		producers: [],
		host: "127.0.0.1",
		log: {
			info: () => {},
			warn: () => {},
			error: (fields) => process.stderr.write(`${JSON.stringify(fields)}\n`),
		},
	});
	const served: Served = { port: running.ports.full ?? 0 };
	process.send?.(served);
	process.on("message", () => {
		const { user, system } = process.cpuUsage();
		const report: Report = { rssMiB: Math.round(process.memoryUsage().rss / 2 ** 20), cpuUs: user + system };
		process.send?.(report);
	});
	process.once("disconnect", () => void running.close().then(() => process.exit()));
}

/** The parent: loads the chain, asks, prints a line a run. */
async function measure(seconds: number, connections: readonly number[]): Promise<void> {
	const child = fork(fileURLToPath(import.meta.url), ["--serve"]);
	const { port } = await new Promise<Served>((resolve, reject) => {
		child.once("message", (message) => resolve(message as Served));
		child.once("exit", (code) => reject(new Error(`the node ended with ${code}`)));
	});
	const url = `http://127.0.0.1:${port}`;
	const contract = await deploy(url);
	let sending = Promise.resolve();
	const traffic = setInterval(() => {
		sending = sending.then(() => sendTransfers(url));
	}, 1_000);
	// Every connection makes its own copy of all requests before it starts.
	const bodies = Array.from({ length: ASKED_ACCOUNTS }, (_, i) =>
		JSON.stringify({ address: toHex(addressOf(i)) }),
	);
	const call = JSON.stringify({
		owner_address: toHex(addressOf(0)),
		contract_address: toHex(contract),
		data: "00",
	});
	const runs: readonly (readonly [string, readonly string[]])[] = [
		["getnowblock", ["{}"]],
		["getaccount", bodies],
		["triggerconstantcontract", [call]],
	];
	for (const [name, requests] of runs) {
		for (const count of connections) {
			const before = await reportOf(child);
			const result = await run(`${url}/wallet/${name}`, requests, count, seconds);
			const { cpuUs, rssMiB } = await reportOf(child);
			const cpuUsARequest = Math.round((cpuUs - before.cpuUs) / Math.max(1, result.answers));
			const line = { endpoint: name, connections: count, ...result, cpuUsARequest, rssMiB };
			process.stdout.write(`${JSON.stringify(line)}\n`);
		}
	}
	clearInterval(traffic);
	await sending;
	child.removeAllListeners("exit");
	child.disconnect();
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

async function run(
	url: string,
	bodies: readonly string[],
	connections: number,
	seconds: number,
): Promise<RunResult> {
	const requests = bodies.map((body) => ({ method: "POST" as const, body }));
	const result = await autocannon({
		url,
		connections,
		duration: seconds,
		requests,
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

async function post(url: string, body: object): Promise<Record<string, unknown>> {
	const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
	return (await answer.json()) as Record<string, unknown>;
}

async function signAndSend(
	url: string,
	transaction: Record<string, unknown>,
	key: Uint8Array,
): Promise<void> {
	const signature = [toHex(sign(fromHex(transaction["txID"] as string), key))];
	const answer = await post(`${url}/wallet/broadcasttransaction`, { ...transaction, signature });
	if (answer["result"] !== true) throw new Error(`a transaction was refused: ${JSON.stringify(answer)}`);
}

/** @returns the contract's address, once it is in a block */
async function deploy(url: string): Promise<Uint8Array> {
	const built = await post(`${url}/wallet/deploycontract`, {
		owner_address: toHex(addressOf(0)),
		bytecode: BYTECODE,
		fee_limit: 1_000_000_000,
		origin_energy_limit: 1_000_000,
	});
	await signAndSend(url, built, keyOf(0));
	const address = contractAddress(fromHex(built["txID"] as string), addressOf(0));
	for (;;) {
		const known = await post(`${url}/wallet/getcontract`, { value: toHex(address) });
		if (known["bytecode"] !== undefined) return address;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}

/** Fills the next block. */
async function sendTransfers(url: string): Promise<void> {
	for (let i = 0; i < TRANSFERS_A_BLOCK; i++) {
		const from = 1 + ((Date.now() + i) % (ACCOUNTS - 1));
		const built = await post(`${url}/wallet/createtransaction`, {
			owner_address: toHex(addressOf(from)),
			to_address: toHex(addressOf((from + 1) % ACCOUNTS)),
			amount: 1 + i,
		});
		await signAndSend(url, built, keyOf(from));
	}
}

if (process.argv.includes("--serve")) await serve();
else {
	const [seconds = 5, ...connections] = process.argv.slice(2).map(Number);
	await measure(seconds, connections.length > 0 ? connections : [1, 16, 256]);
}
