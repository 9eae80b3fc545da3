/**
 * Nodes from one snapshot behind a proxy: three that follow a witness answer mixed queries through HAProxy,
 * then nginx, with the files of docs/deployment, while one after the other is killed, stopped, handed over or
 * halted, and comes back. No request may fail, no answer be wrong, no head older than one seen before, and
 * answers from nginx's cache must equal those of the nodes.
 *
 *     npm run tool soak:fleet -- [haproxy|nginx] [--rate 10000] [--connections 64] [--seconds 8]
 *
 * Needs haproxy and nginx (Debian's packages of these names), or the given one.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "../free-port.js";
import { checkCache } from "./fleet-cache.js";
import {
	type FixedQuery,
	type HeadQuery,
	Load,
	type LoadResult,
	plainRequest,
	requestHead,
} from "./fleet-load.js";
import { FleetNode, transfer } from "./fleet-nodes.js";
import { type ProxyName, programOf, startProxy } from "./fleet-proxies.js";

const READERS = 3;
const FIRST_BLOCKS = 12;
const ACCOUNTS = ["TVjsyZ7fYF3qLF6BQgPmTEZy1xrNNyVAAA", "TBTVUiQsfEzSsZe7SxEDJ5j95pasVRrDWU"];
/** Longer than the lag that the proxy allows. */
const HALT_MS = 14_000;

/** A server with a constant answer, to measure proxy and load generator alone. */
function serveBare(): void {
	const body = Buffer.from(`{"bare":"${"x".repeat(290)}"}\n`);
	const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
		request.resume();
		response.setHeader("content-length", body.length).end(body);
	});
	server.listen(0, "127.0.0.1", () => process.send?.((server.address() as { port: number }).port));
	process.once("disconnect", () => process.exit());
}

const headQueries: readonly HeadQuery[] = [
	{
		server: "http",
		head: requestHead("POST", "/wallet/getnowblock", "{}"),
		body: "{}",
		number: (body) => numberIn(/"number": ?(\d+)/, body),
	},
	rpcHead({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }),
];

function rpcHead(call: object): HeadQuery {
	const body = JSON.stringify(call);
	return {
		server: "jsonrpc",
		head: requestHead("POST", "/jsonrpc", body),
		body,
		number: (text) => numberIn(/"result": ?"(0x[0-9a-f]+)"/, text),
	};
}

function numberIn(pattern: RegExp, text: string): number | undefined {
	const found = pattern.exec(text)?.[1];
	return found === undefined ? undefined : Number(found);
}

/** Queries with immutable answers, and the producer's answers. */
async function fixedQueries(producer: FleetNode, ids: readonly string[]): Promise<FixedQuery[]> {
	const queries: FixedQuery[] = [];
	const get = async (path: string): Promise<void> => {
		const { text } = await producer.get(path);
		queries.push({ server: "http", request: plainRequest("GET", path), body: Buffer.from(text) });
	};
	const post = async (server: "http" | "jsonrpc", path: string, value: object): Promise<void> => {
		const text = await producer.post(path, value, producer.ports[server]);
		const request = plainRequest("POST", path, JSON.stringify(value));
		queries.push({ server, request, body: Buffer.from(text) });
	};
	for (const id of ids) {
		await get(`/wallet/gettransactionbyid?value=${id}`);
		await get(`/wallet/gettransactioninfobyid?value=${id}`);
		await post("jsonrpc", "/jsonrpc", call("eth_getTransactionByHash", [`0x${id}`]));
		await post("jsonrpc", "/jsonrpc", call("eth_getTransactionReceipt", [`0x${id}`]));
	}
	for (let num = 1; num < FIRST_BLOCKS - 4; num++) {
		await get(`/wallet/getblockbynum?num=${num}`);
		await post("http", "/wallet/getblockbynum", { num });
		await post("jsonrpc", "/jsonrpc", call("eth_getBlockByNumber", [`0x${num.toString(16)}`, true]));
	}
	for (const address of ACCOUNTS) await post("http", "/wallet/getaccount", { address, visible: true });
	const empty = `0x${"5".repeat(40)}`;
	await post("jsonrpc", "/jsonrpc", call("eth_getBalance", [empty, "latest"]));
	await post("jsonrpc", "/jsonrpc", call("eth_getCode", [empty, "latest"]));
	await post("jsonrpc", "/jsonrpc", call("eth_chainId", []));
	return queries;
}

const call = (method: string, params: readonly unknown[]): object => ({
	jsonrpc: "2.0",
	id: 1,
	method,
	params,
});

interface Phase {
	readonly name: string;
	/** Takes a node away. @returns a function that brings it back */
	readonly away: (node: FleetNode) => Promise<() => Promise<void>>;
}

const PHASES: readonly Phase[] = [
	{
		name: "killed",
		away: async (node) => {
			await node.end("SIGKILL");
			return () => node.start();
		},
	},
	{
		name: "stopped",
		away: async (node) => {
			await node.end("SIGTERM");
			return () => node.start();
		},
	},
	{
		name: "handed over",
		away: async (node) => {
			const { pid } = node;
			await node.command("node", "handover");
			if (node.pid === pid) throw new Error("the same process has the node");
			return async () => {};
		},
	},
	{
		name: "halted",
		away: async (node) => {
			node.signal("SIGSTOP");
			await sleep(HALT_MS);
			return async () => node.signal("SIGCONT");
		},
	},
];

const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: {
		rate: { type: "string", default: "10000" },
		connections: { type: "string", default: "64" },
		seconds: { type: "string", default: "8" },
		bare: { type: "boolean", default: false },
	},
});
const settings = {
	rate: Number(values.rate),
	connections: Number(values.connections),
	headEvery: 10,
	seconds: Number(values.seconds),
};

interface Fleet {
	readonly root: string;
	readonly producer: FleetNode;
	readonly readers: readonly FleetNode[];
	readonly fixed: readonly FixedQuery[];
	readonly ids: readonly string[];
}

async function openFleet(root: string): Promise<Fleet> {
	const producer = await FleetNode.configured("producer", root);
	await producer.start("-w");
	const ids: string[] = [];
	while ((await producer.head()) < FIRST_BLOCKS) {
		if (ids.length < 8 && (await producer.head()) > 0)
			ids.push(await transfer(producer, ACCOUNTS[0] as string, 1_000_000 + ids.length));
		await sleep(1_000);
	}
	const snapshot = join(root, "snapshot");
	await producer.command("node", "snapshot", "create", snapshot);
	const readers: FleetNode[] = [];
	for (let i = 0; i < READERS; i++) {
		const reader = await FleetNode.configured(`reader${i + 1}`, root, producer);
		await reader.restore(snapshot);
		await reader.start();
		readers.push(reader);
	}
	for (const reader of readers) await reader.ready();
	return { root, producer, readers, ids, fixed: await fixedQueries(producer, ids) };
}

async function stopProxy(proxy: ChildProcess): Promise<void> {
	const closed = once(proxy, "exit");
	if (proxy.exitCode === null && proxy.kill("SIGTERM")) await closed;
}

/** Measures load generator and proxy alone, with servers that do no work. */
async function measureBare(name: ProxyName, { root, fixed }: Fleet): Promise<LoadResult> {
	const servers = Array.from({ length: READERS }, () => fork(process.argv[1] as string, ["--bare"]));
	const ports = await Promise.all(servers.map(async (server) => Number((await once(server, "message"))[0])));
	const front = { http: await freePort(), jsonrpc: await freePort() };
	const nodes = ports.map((port) => ({ http: port, jsonrpc: port }));
	const proxy = await startProxy(name, { ...front, nodes }, join(root, `${name}-bare`));
	try {
		const body = Buffer.from(`{"bare":"${"x".repeat(290)}"}\n`);
		const asked = fixed.map((query) => ({ ...query, body }));
		const load = new Load({ ports: front, ...settings, fixed: asked, heads: [] });
		await sleep(settings.seconds * 1000);
		return await load.end();
	} finally {
		await stopProxy(proxy);
		for (const server of servers) server.disconnect();
	}
}

function say(what: string, { seconds, answered, ms, ...rest }: LoadResult): boolean {
	const { broken, refused, wrong, stale, examples } = rest;
	const failed = broken + wrong + stale + Object.values(refused).reduce((sum, count) => sum + count, 0);
	console.log(
		`${what}: ${answered} answers, ${Math.round(answered / seconds)} a second, p50 ${ms.p50} ms, p99 ${ms.p99} ms, p99.9 ${ms.p999} ms, longest ${ms.max} ms; ${broken} broken, ${JSON.stringify(refused)} refused, ${wrong} wrong, ${stale} stale`,
	);
	for (const example of examples) console.log(`  ${example}`);
	return failed === 0;
}

/** Runs all phases behind one proxy. @returns whether nothing failed */
async function walk(name: ProxyName, fleet: Fleet): Promise<boolean> {
	const { root, readers, fixed } = fleet;
	let isGood = true;
	say(`${name}, bare servers`, await measureBare(name, fleet));
	const ports = { http: await freePort(), jsonrpc: await freePort() };
	const nodes = readers.map((reader) => reader.ports);
	const proxy = await startProxy(name, { ...ports, nodes }, join(root, name));
	const options = { ports, ...settings, fixed, heads: headQueries };
	try {
		await sleep(3_000);
		const calm = new Load(options);
		await sleep(settings.seconds * 1000);
		isGood = say(`${name}, nothing happens`, await calm.end()) && isGood;
		for (const [at, { name: what, away }] of PHASES.entries()) {
			const reader = readers[at % READERS] as FleetNode;
			const load = new Load(options);
			await sleep(1_000);
			const bringBack = await away(reader);
			await sleep((settings.seconds * 1000) / 2);
			await bringBack();
			const readyMs = await reader.ready();
			await sleep((settings.seconds * 1000) / 2);
			const result = await load.end();
			isGood = say(`${name}, ${reader.name} ${what}, ready after ${readyMs} ms`, result) && isGood;
		}
		if (name === "nginx") isGood = (await checkCache(ports.http, fleet)) && isGood;
	} finally {
		await stopProxy(proxy);
	}
	return isGood;
}

async function main(names: readonly ProxyName[]): Promise<boolean> {
	const missing = names.filter((name) => programOf(name) === undefined);
	if (missing.length > 0)
		throw new Error(`${missing.join(" and ")} must be installed: apt install ${missing.join(" ")}`);
	const root = mkdtempSync(join(tmpdir(), "coin-fleet-"));
	console.log(
		`${READERS} readers, ${settings.connections} connections, ${settings.rate} a second, in ${root}`,
	);
	let fleet: Fleet | undefined;
	let isGood = true;
	try {
		fleet = await openFleet(root);
		for (const name of names) isGood = (await walk(name, fleet)) && isGood;
	} finally {
		for (const node of [...(fleet?.readers ?? []), ...(fleet ? [fleet.producer] : [])])
			await node.end("SIGKILL");
	}
	if (isGood) rmSync(root, { recursive: true, force: true });
	return isGood;
}

if (values.bare) serveBare();
else {
	const named = positionals.filter((name): name is ProxyName => name === "haproxy" || name === "nginx");
	const isGood = await main(named.length > 0 ? named : ["haproxy", "nginx"]);
	console.log(isGood ? "no request failed" : "requests failed");
	process.exitCode = isGood ? 0 : 1;
}
