/** A development chain that tells a broker everything, is killed again and again, and knows what should have been told. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Held, spawnChild } from "./broker.js";

const START_LIMIT_MS = 120_000;
/** Blocks by which the solidified one lags: what is put back within them is told as removed. */
const SOLID_LAG = 6;
const KINDS = [
	"block",
	"transaction",
	"contractevent",
	"contractlog",
	"solidity",
	"solidityevent",
	"soliditylog",
] as const;

const word = (hex: string): string => hex.padStart(64, "0");

/** Code that logs with one topic what it is called with, and again without a topic. */
function code(topic: string): string {
	const runtime = `366000600037${`7f${topic}`}366000a1366000a000`;
	const size = word((runtime.length / 2).toString(16)).slice(-4);
	return `61${size}600e60003961${size}6000f3${runtime}`;
}

/** The settings of a chain that tells everything. @param settings those of the receiver, below `event.subscribe` */
export function configuration(settings: string, version: number): string {
	const topics = KINDS.map((kind) => `{ triggerName = ${kind}, enable = true, topic = ${kind} }`);
	return `storage {}
node.release = "4.8.2"
node.metrics.prometheus { enable = false }
dev { enabled = true, seal = "1", port = 0, accounts = 2, solidLag = ${SOLID_LAG}, unlockAll = true }
event.subscribe { enable = true, version = ${version}, topics = [${topics.join(", ")}]
${settings} }
`;
}

export class ToldChain {
	private child: ChildProcess | undefined;
	private url = "";
	private contract = "";

	/** @param directory has the file config.conf */
	constructor(private readonly directory: string) {}

	async start(): Promise<void> {
		const readyFile = join(this.directory, "ready");
		await rm(readyFile, { force: true });
		const files = ["-c", join(this.directory, "config.conf"), "-d", join(this.directory, "data")];
		const child = spawnChild(
			process.execPath,
			["bin/coin.js", "node", "start", ...files, "--ready-file", readyFile, "--quiet"],
			{ stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, COIN_NATS_PASSWORD: "" } },
		);
		this.child = child;
		let errors = "";
		child.stderr?.on("data", (text) => {
			errors = (errors + text).slice(-10_000);
		});
		for (const end = Date.now() + START_LIMIT_MS; ; await sleep(20)) {
			if (child.exitCode !== null || Date.now() > end) throw new Error(`the node does not start: ${errors}`);
			const ready = await readFile(readyFile, "utf8").catch(() => "");
			if (!ready.endsWith("\n")) continue;
			const { ports } = JSON.parse(ready) as { ports: { gateway: number } };
			this.url = `http://127.0.0.1:${ports.gateway}`;
			return;
		}
	}

	async kill(): Promise<void> {
		const { child } = this;
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const ended = once(child, "exit");
		child.kill("SIGKILL");
		await ended;
	}

	/** Deploys a contract whose calls are told as an event and as a log. */
	async deploy(): Promise<void> {
		const [owner = ""] = (await this.rpc("eth_accounts", [])) as string[];
		const topic = (await this.rpc("web3_sha3", [
			`0x${Buffer.from("Called(uint256)").toString("hex")}`,
		])) as string;
		const deployment = (await this.http("/wallet/deploycontract", {
			owner_address: `41${owner.slice(2)}`,
			abi: '[{"type":"Event","name":"Called","inputs":[{"name":"value","type":"uint256"}]}]',
			bytecode: code(topic.slice(2)),
			fee_limit: 1_000_000_000,
			consume_user_resource_percent: 100,
			origin_energy_limit: 10_000_000,
			name: "told",
		})) as { txID: string; contract_address: string };
		await this.http("/wallet/broadcasttransaction", deployment);
		await this.mine(1);
		this.contract = `0x${deployment.contract_address.slice(2)}`;
	}

	/** Calls, and blocks with them. What a killed node doesn't answer is as if it were not asked. */
	async live(calls: number, blocks: number): Promise<void> {
		const [from = ""] = ((await this.rpc("eth_accounts", []).catch(() => [])) as string[]) ?? [];
		for (let count = 0; count < calls; count++) {
			const data = `0x${word((count + 1).toString(16))}`;
			await this.rpc("eth_sendTransaction", [{ from, to: this.contract, data }]).catch(() => undefined);
		}
		await this.mine(blocks).catch(() => undefined);
	}

	/** Puts the chain back by some blocks, which leave it. */
	async putBack(blocks: number): Promise<void> {
		const snapshot = await this.rpc("evm_snapshot", []).catch(() => undefined);
		if (snapshot === undefined) return;
		await this.live(2, blocks);
		await sleep(150);
		await this.rpc("evm_revert", [snapshot]).catch(() => undefined);
		await this.live(1, 1);
	}

	private async mine(blocks: number): Promise<void> {
		await this.rpc("tre_mine", [{ blocks }]);
	}

	private async rpc(method: string, params: readonly unknown[]): Promise<unknown> {
		const answer = await this.post("/jsonrpc", { jsonrpc: "2.0", id: 1, method, params });
		const { result, error } = answer as { result?: unknown; error?: { message: string } };
		if (error) throw new Error(`${method}: ${error.message}`);
		return result;
	}

	private http(path: string, body: object): Promise<unknown> {
		return this.post(path, body);
	}

	private async post(path: string, body: object): Promise<unknown> {
		const answer = await fetch(`${this.url}${path}`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(body),
			signal: AbortSignal.timeout(20_000),
		});
		return answer.json();
	}

	/** No more blocks come: what follows is told of a chain that stands still. */
	async rest(): Promise<void> {
		await this.rpc("evm_setIntervalMining", [0]).catch(() => undefined);
	}

	/** What has to have been told of the chain as it is, as marks (see {@link markOf}), and the ids of its blocks. */
	async expected(): Promise<{
		readonly marks: ReadonlySet<string>;
		readonly blocks: ReadonlySet<string>;
		readonly head: number;
	}> {
		const marks = new Set<string>();
		const blocks = new Set<string>();
		const now = (await this.http("/wallet/getnowblock", {})) as StoredBlock;
		const head = now.block_header.raw_data.number ?? 0;
		for (let number = 1; number <= head; number++) {
			const block = (await this.http("/wallet/getblockbynum", { num: number })) as StoredBlock;
			const infos = (await this.http("/wallet/gettransactioninfobyblocknum", {
				num: number,
			})) as StoredInfo[];
			const isSolid = number <= head - SOLID_LAG;
			const { blockID: id } = block;
			blocks.add(id);
			marks.add(`blockTrigger ${id}`);
			if (isSolid) marks.add(`solidityTrigger ${number}`);
			for (const { txID } of block.transactions ?? []) marks.add(`transactionTrigger ${txID} ${id}`);
			for (const info of infos) {
				for (const [at, log] of (info.log ?? []).entries()) {
					const what = `${(log.topics?.length ?? 0) > 0 ? "Event" : "Log"}Trigger ${info.id}_${at + 1} ${id}`;
					marks.add(`contract${what}`);
					if (isSolid) marks.add(`solidity${what}`);
				}
			}
		}
		return { marks, blocks, head };
	}
}

interface StoredBlock {
	readonly blockID: string;
	readonly block_header: { readonly raw_data: { readonly number?: number } };
	readonly transactions?: readonly { readonly txID: string }[];
}

interface StoredInfo {
	readonly id: string;
	readonly log?: readonly { readonly topics?: readonly string[] }[];
}

/** What a trigger is about, in words that blocks have too. */
export function markOf(held: Held): string {
	const trigger = String(held["triggerName"]);
	if (trigger === "solidityTrigger") return `${trigger} ${held["latestSolidifiedBlockNumber"]}`;
	const id = held["uniqueId"] ?? held["transactionId"];
	return id === undefined ? `${trigger} ${held["blockHash"]}` : `${trigger} ${id} ${held["blockHash"]}`;
}

export async function writeConfiguration(directory: string, text: string): Promise<void> {
	await writeFile(join(directory, "config.conf"), text);
}
