/** A producing node, and nodes that follow it from a snapshot, as processes of the built program. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../free-port.js";

const KEY = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";
const WITNESS = "TKXQJfLRSmRpqAM5e5GX4PHQVk9SqiFqkB";
const SLOT_MS = 3_000;
const PATIENCE_MS = 120_000;
const begun = Math.trunc(Date.now() / SLOT_MS) * SLOT_MS - SLOT_MS;

interface Ports {
	readonly http: number;
	readonly jsonrpc: number;
	readonly peer: number;
}

/**
 * The producer lists its readers, as in docs/operations.md: otherwise a disconnected peer waits a minute.
 * @param producer its peer port; undefined for the producer itself
 */
function configuration({ http, jsonrpc, peer }: Ports, producer: number | undefined): string {
	const named =
		producer === undefined
			? 'active = [], passive = ["127.0.0.1:18888"]'
			: `active = ["127.0.0.1:${producer}"], passive = []`;
	return `
storage.db.directory = database
net.type = mainnet
node.discovery = { enable = false, persist = false }
node {
  listen.port = ${peer}, p2p.version = 4245, ${named}
  maxConnectionsWithSameIp = 10
  maxHttpConnectNumber = 1000
  http { fullNodePort = ${http}, solidityEnable = false, PBFTEnable = false, cacheHeaders = true }
  rpc { enable = false, solidityEnable = false, PBFTEnable = false, minEffectiveConnection = 0 }
  jsonrpc { httpFullNodeEnable = true, httpFullNodePort = ${jsonrpc} }
  history.index = on
}
rate.limiter.enabled = false
seed.node.ip.list = []
block { needSyncCheck = false, maintenanceTimeInterval = 21600000 }
${producer === undefined ? `localwitness = [${KEY}]` : ""}
genesis.block {
  timestamp = "${begun}", parentHash = "${"0".repeat(64)}"
  assets = [
    { accountName = Zion, accountType = AssetIssue, address = ${WITNESS}, balance = "95000000000000000" }
    { accountName = Blackhole, accountType = AssetIssue, address = TBTVUiQsfEzSsZe7SxEDJ5j95pasVRrDWU, balance = "-9223372036854775808" }
  ]
  witnesses = [{ address: ${WITNESS}, url = "http://witness", voteCount = 10 }]
}`;
}

export type Json = Readonly<Record<string, unknown>>;

export class FleetNode {
	private output = "";

	private constructor(
		readonly name: string,
		private readonly root: string,
		readonly ports: Ports,
	) {}

	/** @param root folder for its configuration and data @param producer the node to follow, if any */
	static async configured(name: string, root: string, producer?: FleetNode): Promise<FleetNode> {
		const ports = { http: await freePort(), jsonrpc: await freePort(), peer: await freePort() };
		const node = new FleetNode(name, root, ports);
		writeFileSync(node.path("conf"), configuration(ports, producer?.ports.peer));
		return node;
	}

	private path(what: string): string {
		return join(this.root, `${this.name}.${what}`);
	}

	private get environment(): Record<string, string> {
		return { PATH: process.env["PATH"] ?? "", HOME: this.root, COIN_TTY: this.path("none") };
	}

	/** Runs a command on its directory. @returns standard output */
	async command(...words: string[]): Promise<string> {
		const places = ["-d", this.path("data")];
		const run = promisify(execFile);
		const { stdout } = await run(process.execPath, ["bin/coin.js", ...words, ...places], {
			env: this.environment,
		});
		return stdout;
	}

	/** Creates its data directory from a snapshot. */
	async restore(snapshot: string): Promise<void> {
		await this.command("node", "snapshot", "restore", snapshot, "--unsigned", "-c", this.path("conf"));
	}

	/** Starts it, and waits until its ports are bound. @param words further flags */
	async start(...words: string[]): Promise<void> {
		rmSync(this.path("ready"), { force: true });
		const places = ["-c", this.path("conf"), "-d", this.path("data"), "--ready-file", this.path("ready")];
		const child = spawn(
			process.execPath,
			["bin/coin.js", "node", "start", "--host", "127.0.0.1", ...places, ...words],
			{ env: this.environment, stdio: ["ignore", "pipe", "pipe"] },
		);
		this.output = "";
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding("utf8").on("data", (text: string) => {
				this.output = (this.output + text).slice(-10_000);
			});
		for (const end = Date.now() + PATIENCE_MS; this.pid === undefined; await sleep(20))
			if (hasEnded(child) || Date.now() > end) throw new Error(`${this.name} does not start: ${this.output}`);
	}

	/** Process id of the node, also after a handover; undefined until its ports are bound. */
	get pid(): number | undefined {
		try {
			return (JSON.parse(readFileSync(this.path("ready"), "utf8")) as { pid: number }).pid;
		} catch {
			return undefined;
		}
	}

	signal(signal: NodeJS.Signals): void {
		if (this.pid !== undefined) process.kill(this.pid, signal);
	}

	/** Sends a terminating signal, and waits for the end. */
	async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
		const { pid } = this;
		if (pid === undefined || !isThere(pid)) return;
		process.kill(pid, signal);
		while (isThere(pid)) await sleep(10);
	}

	async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
		const answer = await fetch(`http://127.0.0.1:${this.ports.http}${path}`);
		return { status: answer.status, text: await answer.text() };
	}

	async post(path: string, body: object, port = this.ports.http): Promise<string> {
		const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(body),
		});
		return answer.text();
	}

	async ask(method: string, body: object = {}): Promise<Json> {
		return JSON.parse(await this.post(`/wallet/${method}`, body)) as Json;
	}

	async head(): Promise<number> {
		const { block_header } = (await this.ask("getnowblock")) as {
			block_header: { raw_data: { number?: number } };
		};
		return block_header.raw_data.number ?? 0;
	}

	/** @returns milliseconds until ready for a proxy */
	async ready(): Promise<number> {
		const startMs = Date.now();
		for (;;) {
			const answer = await this.get("/readyz?lag=10").catch(() => undefined);
			if (answer?.status === 200) return Date.now() - startMs;
			if (Date.now() - startMs > PATIENCE_MS)
				throw new Error(`${this.name} isn't ready: ${answer?.text}\n${this.output}`);
			await sleep(50);
		}
	}
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

function isThere(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

/** Has the node build a transfer, signs it with the witness's key, and sends it. @returns its id */
export async function transfer(node: FleetNode, to: string, amount: number): Promise<string> {
	const { sign } = await import("../../src/protocol/signature.js");
	const { fromHex, toHex } = await import("../../src/protocol/bytes.js");
	const built = await node.ask("createtransaction", {
		...{ owner_address: WITNESS, to_address: to, amount, visible: true },
	});
	const id = String(built["txID"]);
	const signature = [toHex(sign(fromHex(id), fromHex(KEY)))];
	const answer = await node.ask("broadcasttransaction", { ...built, signature });
	if (answer["result"] !== true) throw new Error(`a transfer was refused: ${JSON.stringify(answer)}`);
	return id;
}
