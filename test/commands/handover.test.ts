/** `coin node handover`: real processes, a chain of one witness, and clients that ask all the time and once more at most. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { errorRecord, Home, type Outcome } from "./coin-process.js";

const KEY = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";
const WITNESS = "TKXQJfLRSmRpqAM5e5GX4PHQVk9SqiFqkB";
const SLOT_MS = 3_000;
const begun = Math.trunc(Date.now() / SLOT_MS) * SLOT_MS - SLOT_MS;

const configuration = (more = ""): string => `
storage.db.directory = database
node {
  http { fullNodePort = 0, solidityPort = 0, PBFTEnable = false }
  rpc { port = 0, solidityEnable = false, PBFTEnable = false, minEffectiveConnection = 0 }
  jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0 }
}
block { needSyncCheck = false, maintenanceTimeInterval = 21600000 }
localwitness = [${KEY}]
genesis.block {
  timestamp = "${begun}", parentHash = "${"0".repeat(64)}"
  assets = [
    { accountName = Zion, accountType = AssetIssue, address = ${WITNESS}, balance = "95000000000000000" }
    { accountName = Blackhole, accountType = AssetIssue, address = TBTVUiQsfEzSsZe7SxEDJ5j95pasVRrDWU, balance = "-9223372036854775808" }
  ]
  witnesses = [{ address: ${WITNESS}, url = "http://witness", voteCount = 10 }]
}
${more}`;

interface Ready {
	readonly pid: number;
	readonly ports: {
		readonly full: number;
		readonly solidity: number;
		readonly jsonrpc: number;
		readonly grpc: number;
	};
}

/** A machine that lets a process wait for so long may cost it its slots, whatever the program does. */
const STARVED_MS = 500;
const TICK_MS = 50;

/** Notes the slots in which the machine let this process wait. */
class Starvation {
	private readonly slots = new Set<number>();
	private lastMs = Date.now();
	private readonly timer = setInterval(() => this.look(), TICK_MS);

	get count(): number {
		this.look();
		return this.slots.size;
	}

	stop(): void {
		clearInterval(this.timer);
	}

	private look(): void {
		const nowMs = Date.now();
		const slotOf = (ms: number): number => Math.trunc(ms / SLOT_MS);
		if (nowMs - this.lastMs > STARVED_MS)
			for (let slot = slotOf(this.lastMs); slot <= slotOf(nowMs); slot++) this.slots.add(slot);
		this.lastMs = nowMs;
	}
}

let home: Home;
let first: ChildProcess | undefined;
let log = "";
let starvation: Starvation;
beforeEach(() => {
	home = new Home();
	log = "";
	starvation = new Starvation();
	writeFileSync(join(home.path, "node.conf"), configuration());
});
afterEach(async () => {
	starvation.stop();
	// Whichever process has the node: those that take over are nobody's children any more.
	while (first && isThere(ready().pid)) {
		process.kill(ready().pid, "SIGTERM");
		await delay(50);
	}
	home.remove();
});

const ready = (): Ready => JSON.parse(readFileSync(join(home.path, "ready"), "utf8")) as Ready;

function isThere(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

async function start(more: readonly string[] = [], environment: Record<string, string> = {}): Promise<Ready> {
	const words = ["-c", "node.conf", "-d", "data", "--host", "127.0.0.1", "--p2p-disable", "true"];
	const started = home.start(["node", "start", ...words, "--ready-file", "ready", ...more], "", environment);
	first = started.child;
	first.stdout?.on("data", (text: string) => {
		log += text;
	});
	while (!existsSync(join(home.path, "ready")) && first.exitCode === null) await delay(20);
	return ready();
}

/** The command, in a process of its own: it says which program takes over. */
const handOver = (): Promise<Outcome> => home.start(["node", "handover", "-d", "data", "--json"]).outcome;

async function says(words: string): Promise<void> {
	while (!log.includes(words)) await delay(10);
}

interface BlockHeader {
	readonly number?: number;
	readonly timestamp: number;
}

async function block(port: number, number?: number): Promise<BlockHeader> {
	const path = number === undefined ? "getnowblock" : `getblockbynum?num=${number}`;
	const answer = await fetch(`http://127.0.0.1:${port}/wallet/${path}`);
	return ((await answer.json()) as { block_header: { raw_data: BlockHeader } }).block_header.raw_data;
}

/** Waits until the chain has so many blocks more. */
async function grown(port: number, by: number): Promise<number> {
	const { number: from = 0 } = await block(port);
	for (;;) {
		const { number = 0 } = await block(port);
		if (number >= from + by) return number;
		await delay(50);
	}
}

/**
 * How many slots since the second block have none, as the chain itself tells; two are left out behind the first one by rule.
 * Those that the machine may have cost don't count.
 */
async function lostSlots(port: number): Promise<number> {
	const { number = 0, timestamp } = await block(port);
	const oldest = await block(port, 2);
	return Math.max(0, (timestamp - oldest.timestamp) / SLOT_MS - (number - 2) - starvation.count);
}

/** Asks again and again over one connection, and once more over a new one where that fails. */
class Asking {
	retries = 0;
	answers = 0;
	readonly failures: unknown[] = [];
	private isOver = false;
	private readonly running: Promise<void>;

	constructor(
		private readonly ask: () => Promise<void>,
		private readonly reconnect: () => void,
	) {
		this.running = this.run();
	}

	private async run(): Promise<void> {
		while (!this.isOver) {
			try {
				await this.ask();
			} catch {
				this.retries++;
				this.reconnect();
				await this.ask().catch((error: unknown) => this.failures.push(error));
			}
			this.answers++;
			await delay(3);
		}
	}

	async end(): Promise<void> {
		this.isOver = true;
		await this.running;
	}
}

function askHttp(port: number, path: string, body?: string): Asking {
	const connection = () => new Agent({ keepAlive: true, maxSockets: 1 });
	let agent = connection();
	const ask = (): Promise<void> =>
		new Promise((resolve, reject) => {
			const method = body === undefined ? "GET" : "POST";
			const headers = { "content-type": "application/json" };
			const asked = request({ host: "127.0.0.1", port, path, method, agent, headers }, (answer) => {
				answer.resume();
				answer.on("error", reject);
				answer.on("end", () =>
					answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`)),
				);
			});
			asked.on("error", reject);
			asked.end(body);
		});
	return new Asking(ask, () => {
		agent.destroy();
		agent = connection();
	});
}

function askGrpc(port: number): Asking {
	const connection = () =>
		new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
	let client = connection();
	const bytes = (value: Buffer): Buffer => value;
	const ask = (): Promise<void> =>
		new Promise((resolve, reject) => {
			client.makeUnaryRequest("/protocol.Wallet/GetNowBlock", bytes, bytes, Buffer.alloc(0), (error) =>
				error ? reject(error) : resolve(),
			);
		});
	return new Asking(ask, () => {
		client.close();
		client = connection();
	});
}

it("hands over twice: no request fails twice, no slot is lost, ports stay what they are", async () => {
	const before = await start(["-w"]);
	const { full, solidity, jsonrpc, grpc } = before.ports;
	await grown(full, 1);
	const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';
	const asking = [
		askHttp(full, "/wallet/getnowblock"),
		askHttp(full, "/wallet/getnowblock", "{}"),
		askHttp(solidity, "/walletsolidity/getnowblock"),
		askHttp(jsonrpc, "/jsonrpc", body),
		askGrpc(grpc),
	];
	let pid = before.pid;
	for (let times = 0; times < 2; times++) {
		const socket = new WebSocket(`ws://127.0.0.1:${jsonrpc}/jsonrpc`);
		await new Promise((resolve) => socket.once("open", resolve));
		const closed = new Promise((resolve) => socket.once("close", resolve));
		const { code, stdout, stderr } = await handOver();
		expect([code, stderr]).toEqual([0, ""]);
		const result = JSON.parse(stdout) as { pid: number; gapMs: number };
		expect([await closed, ready().ports]).toEqual([1012, before.ports]);
		expect(result.pid).toBe(ready().pid);
		expect(result.pid).not.toBe(pid);
		while (isThere(pid)) await delay(20);
		pid = result.pid;
		await grown(full, 1);
	}
	for (const each of asking) await each.end();
	expect(asking.map(({ failures }) => failures)).toEqual(asking.map(() => []));
	for (const { retries } of asking) expect(retries).toBeLessThanOrEqual(2);
	expect(await lostSlots(full)).toBeLessThanOrEqual(1);
	expect(log.match(/"msg":"took over"/g)).toHaveLength(2);
});

/** Starts the node as systemd does, with an open socket. @returns the process, and the port of the socket */
async function startActivated(settings: (port: number) => string): Promise<[ChildProcess, number]> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { readonly port: number };
	const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle;
	writeFileSync(join(home.path, "node.conf"), configuration(settings(port)));
	const words = "node start -w -c node.conf -d data --p2p-disable true --ready-file ready".split(" ");
	const program = join(import.meta.dirname, "../../bin/coin.js");
	const script = 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@"';
	const child = spawn("sh", ["-c", script, process.execPath, program, ...words], {
		cwd: home.path,
		env: { PATH: process.env["PATH"], HOME: home.path },
		stdio: ["ignore", "pipe", "pipe", fd],
	});
	first = child;
	for (const stream of [child.stdout, child.stderr])
		stream?.on("data", (text: Buffer) => {
			log += String(text);
		});
	server.close();
	return [child, port];
}

it.skipIf(process.platform !== "linux")(
	"serves at sockets that systemd has opened, and hands them over",
	async () => {
		const [, port] = await startActivated((free) => `node.http.fullNodePort = ${free}`);
		// Not refused, although nothing listens yet.
		expect((await block(port)).timestamp).toBeGreaterThanOrEqual(begun);
		while (!existsSync(join(home.path, "ready"))) await delay(10);
		const { pid } = ready();
		expect((await handOver()).code).toBe(0);
		expect((await block(port)).timestamp).toBeGreaterThanOrEqual(begun);
		expect([ready().ports.full, ready().pid === pid]).toEqual([port, false]);
	},
);

it.skipIf(process.platform !== "linux")(
	"doesn't start where a socket of systemd is no server's",
	async () => {
		const [child, port] = await startActivated(() => "");
		while (child.exitCode === null) await delay(20);
		first = undefined;
		expect([child.exitCode, log]).toEqual([
			1,
			`error: systemd has opened port ${port} for the node, and no server of its configuration listens there\n`,
		]);
	},
);

it("leaves the running node as it is where the new one can't take over", async () => {
	const folder = mkdtempSync(join(home.path, "programs-"));
	writeFileSync(join(folder, "systemd-notify"), `#!/bin/sh\necho "$*" >> ${folder}/said\n`, { mode: 0o755 });
	const service = { NOTIFY_SOCKET: "/run/x", PATH: `${folder}:/usr/bin:/bin` };
	const { ports, pid } = await start(["-w"], service);
	const refused = async (text: string): Promise<unknown> => {
		writeFileSync(join(home.path, "node.conf"), text);
		const outcome = await handOver();
		expect(outcome.code).toBe(1);
		return errorRecord(outcome)["message"];
	};
	const goesOn = "the new process can't take over, and this one goes on: ";
	expect(await refused(configuration('node.maxConnections = "x"'))).toContain(goesOn);
	expect(await refused(configuration().replace(`"${begun}"`, `"${begun - SLOT_MS}"`))).toMatch(
		new RegExp(`^${goesOn}the data directory data belongs to another chain`),
	);
	expect(await refused(configuration("storage.db.directory = elsewhere"))).toContain(
		"/data/elsewhere, and the running",
	);
	const web = createServer();
	await new Promise<void>((resolve) => web.listen(0, resolve));
	const { port } = web.address() as { readonly port: number };
	expect(await refused(configuration(`node.metrics.prometheus { enable = true, port = ${port} }`))).toContain(
		`${goesOn}port ${port} is in use, and wanted for the metrics`,
	);
	await new Promise((resolve) => web.close(resolve));
	expect(await refused(configuration("dev.enabled = true"))).toBe(
		`${goesOn}a development chain takes over from no node`,
	);
	await grown(ports.full, 2);
	expect([await lostSlots(ports.full), ready().pid]).toEqual([0, pid]);
	writeFileSync(join(home.path, "node.conf"), configuration());
	expect((await handOver()).code).toBe(0);
	// The service manager hears who it is that counts, and that it is ready; and once more when the former process has ended, with another
	// one in between: systemd waits at a stop for a main process that was its child when it was named, and kills any other.
	const said = (): string => readFileSync(join(folder, "said"), "utf8");
	const own = `MAINPID=${ready().pid}\n`;
	while (!new RegExp(`--ready .*\nMAINPID=\\d+\n${own}$`).test(said())) await delay(10);
	expect(said()).toMatch(new RegExp(`^--ready .*\n(.*\n)*${own}--ready .*\nMAINPID=\\d+\n${own}$`));
	expect(said().split("\n").at(-3)).not.toBe(own.trim());
});

it("is gone on with by the new process where the old one is killed, and says where nobody has a node", async () => {
	const nobody = await handOver();
	expect([nobody.code, errorRecord(nobody)["message"]]).toEqual([1, "no node of yours has data open"]);
	// No witness, so that no block comes: the two wait for each other.
	const { ports, pid } = await start();
	const handing = handOver();
	await says("a new process is prepared");
	first?.kill("SIGKILL");
	const { code, stderr } = await handing;
	expect([code, stderr]).toEqual([
		1,
		expect.stringContaining("the node ended before it was known who goes on"),
	]);
	await says('"msg":"took over"');
	expect(ready().pid).not.toBe(pid);
	expect((await block(ports.full)).timestamp).toBe(begun);
});

it("says what to do where the new process fails behind the close, and a start goes on", async () => {
	const { ports } = await start(["-w"]);
	await grown(ports.full, 1);
	const { number } = await block(ports.full);
	// Whether an index can be opened shows when the data are open.
	writeFileSync(join(home.path, "node.conf"), configuration("node.history.index = on"));
	home.write("data/history", "");
	const { code, stderr } = await handOver();
	expect([code, stderr]).toEqual([
		1,
		expect.stringContaining("nothing is lost: start the former release again"),
	]);
	while (first?.exitCode === null) await delay(20);
	expect(first?.exitCode).toBe(1);
	rmSync(join(home.path, "data/history"));
	rmSync(join(home.path, "ready"));
	const again = await start();
	expect((await block(again.ports.full)).number).toBeGreaterThanOrEqual(number ?? 0);
});

it("is given up with the command, and with the node", async () => {
	const { ports, pid } = await start();
	const { child, outcome } = home.start(["node", "handover", "-d", "data"]);
	await says("a new process is prepared");
	child.kill("SIGKILL");
	await outcome;
	expect([(await block(ports.full)).timestamp, ready().pid]).toEqual([begun, pid]);
	const again = handOver();
	while (log.split("a new process is prepared").length < 3) await delay(10);
	first?.kill("SIGTERM");
	expect(errorRecord(await again)["message"]).toContain("the node stops");
	while (isThere(pid)) await delay(20);
	expect(log).not.toContain("took over");
});
