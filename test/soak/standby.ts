/**
 * Two nodes with one witness behind one signer: kills or halts one of them again and again while transfers come in, at times the
 * signer. No slot may have two signatures, and what happens to a node may cost one slot at most.
 *
 *     npm run tool soak:standby -- [100] [--seed 1]
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "../free-port.js";
import { between, randomFrom } from "./random.js";

const KEY = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";
const WITNESS = "TKXQJfLRSmRpqAM5e5GX4PHQVk9SqiFqkB";
const SLOT_MS = 3_000;
/** Longer than a slot: a halted node finds its head behind when it goes on. */
const HALT_MS = 8_000;
/** Every so many faults one is the signer's. */
const EVERY_SIGNER = 10;
const PATIENCE_MS = 120_000;
/** After a maintenance so many slots are left out, which comes once on a new chain. */
const FIRST_BLOCKS = 3;

const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: { seed: { type: "string", default: String(Date.now() % 1_000_000) } },
});
const faults = Number(positionals[0] ?? 100);
const random = randomFrom(Number(values.seed));
const root = mkdtempSync(join(tmpdir(), "coin-standby-"));
const environment = { PATH: process.env["PATH"] ?? "", HOME: root, COIN_TTY: join(root, "none") };
const path = (name: string): string => join(root, name);

const configuration = (own: number, other: number): string => `
storage.db.directory = database
net.type = mainnet
node.discovery = { enable = false, persist = false }
node {
  listen.port = ${own}, p2p.version = 4244, active = ["127.0.0.1:${other}"], passive = []
  http { fullNodePort = 0, solidityEnable = false, PBFTEnable = false }
  rpc { enable = false, solidityEnable = false, PBFTEnable = false, minEffectiveConnection = 0 }
}
seed.node.ip.list = []
block { needSyncCheck = false, maintenanceTimeInterval = 21600000 }
localwitness.signer = "${path("socket")}"
genesis.block {
  timestamp = "${Math.trunc(Date.now() / SLOT_MS) * SLOT_MS - SLOT_MS}", parentHash = "${"0".repeat(64)}"
  assets = [
    { accountName = Zion, accountType = AssetIssue, address = ${WITNESS}, balance = "95000000000000000" }
    { accountName = Blackhole, accountType = AssetIssue, address = TBTVUiQsfEzSsZe7SxEDJ5j95pasVRrDWU, balance = "-9223372036854775808" }
  ]
  witnesses = [{ address: ${WITNESS}, url = "http://witness", voteCount = 10 }]
}`;

/** A process that is started again whenever it was killed. */
class Subject {
	child: ChildProcess | undefined;
	private output = "";

	constructor(
		readonly name: string,
		private readonly words: readonly string[],
		private readonly sign: string,
	) {}

	async start(): Promise<void> {
		this.output = "";
		const child = spawn(process.execPath, ["bin/coin.js", ...this.words], { env: environment });
		this.child = child;
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding("utf8").on("data", (text: string) => {
				this.output = (this.output + text).slice(-10_000);
			});
		for (const end = Date.now() + PATIENCE_MS; !this.output.includes(this.sign); await sleep(20))
			if (child.exitCode !== null || Date.now() > end)
				throw new Error(`${this.name} does not start: ${this.output}`);
	}

	async kill(): Promise<void> {
		const { child } = this;
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const closed = once(child, "close");
		child.kill("SIGKILL");
		await closed;
	}
}

class Node extends Subject {
	constructor(name: string, own: number, other: number, file = path(`${name}.conf`)) {
		writeFileSync(file, configuration(own, other));
		const places = ["-c", file, "-d", path(name), "--ready-file", path(`${name}.ready`)];
		super(name, ["node", "start", "-w", "--host", "127.0.0.1", ...places], "coin node ready");
	}

	override async start(): Promise<void> {
		// What the process before said of its ports stands there until this one has written its own.
		rmSync(path(`${this.name}.ready`), { force: true });
		await super.start();
		for (const end = Date.now() + PATIENCE_MS; !existsSync(path(`${this.name}.ready`)); await sleep(20))
			if (Date.now() > end) throw new Error(`${this.name} writes no ready file`);
	}

	async ask(method: string, body: object = {}): Promise<Record<string, unknown>> {
		const { ports } = JSON.parse(readFileSync(path(`${this.name}.ready`), "utf8")) as {
			ports: { full: number };
		};
		const url = `http://127.0.0.1:${ports.full}/wallet/${method}`;
		const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
		return (await answer.json()) as Record<string, unknown>;
	}

	async head(): Promise<number> {
		const { block_header } = (await this.ask("getnowblock")) as { block_header: Header };
		return block_header.raw_data.number ?? 0;
	}
}

interface Header {
	readonly raw_data: { readonly number?: number; readonly timestamp?: number };
}

/** Times of the blocks of the chain, of which the first is left out. */
async function blockTimes(node: Node): Promise<number[]> {
	const times: number[] = [];
	const head = await node.head();
	for (let startNum = FIRST_BLOCKS; startNum <= head; startNum += 100) {
		const { block = [] } = await node.ask("getblockbylimitnext", {
			startNum,
			endNum: Math.min(startNum + 100, head + 1),
		});
		for (const { block_header } of block as { block_header: Header }[])
			times.push(block_header.raw_data.timestamp ?? 0);
	}
	return times;
}

async function growsTo(node: Node, height: number): Promise<void> {
	for (const end = Date.now() + PATIENCE_MS; (await node.head()) < height; await sleep(200))
		if (Date.now() > end) throw new Error(`${node.name} stands still below block ${height}`);
}

/** One fault. @returns when it was, and whether it was the signer's */
async function disturb(
	count: number,
	nodes: readonly [Node, Node],
	signer: Subject,
): Promise<{ atMs: number; isSigner: boolean }> {
	await sleep(between(random, 0, SLOT_MS));
	const isSigner = count % EVERY_SIGNER === EVERY_SIGNER - 1;
	const node = nodes[between(random, 0, 1)] as Node;
	const other = nodes[0] === node ? nodes[1] : nodes[0];
	const before = await other.head();
	const atMs = Date.now();
	if (isSigner) {
		await signer.kill();
		await signer.start();
	} else if (random() < 0.3) {
		node.child?.kill("SIGSTOP");
		await sleep(HALT_MS);
		node.child?.kill("SIGCONT");
	} else {
		await node.kill();
		await growsTo(other, before + 2);
		await node.start();
	}
	await growsTo(other, before + 4);
	await growsTo(node, before + 3);
	return { atMs, isSigner };
}

/** Slots without a block in which nothing else was away than one of the nodes, more than one in a row or twice in a fault. */
function lostSlots(
	times: readonly number[],
	found: readonly { atMs: number; isSigner: boolean }[],
): string[] {
	return found.flatMap(({ atMs, isSigner }, index) => {
		const endMs = found[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
		const around = times.filter((time) => time > atMs - 2 * SLOT_MS && time < endMs);
		const lost = around
			.slice(1)
			.reduce((sum, time, at) => sum + (time - (around[at] as number)) / SLOT_MS - 1, 0);
		return !isSigner && lost > 1 ? [`fault ${index} cost ${lost} slots`] : [];
	});
}

function signedTwice(): string[] {
	const lines = readFileSync(path("signer/decisions.log"), "utf8").trim().split("\n");
	const signed = lines.map((line) => JSON.parse(line) as { decision: string; timestamp: string });
	const slots = signed.filter(({ decision }) => decision === "signed").map(({ timestamp }) => timestamp);
	return slots.filter((slot, at) => slots.indexOf(slot) !== at);
}

writeFileSync(path("pw"), "sesame-open", { mode: 0o600 });
writeFileSync(path("key"), KEY, { mode: 0o600 });
const importing = [
	"keystore",
	"import",
	"key",
	"witness",
	"--password-file",
	path("pw"),
	"--key-file",
	path("key"),
];
if (spawnSync(process.execPath, ["bin/coin.js", ...importing], { env: environment }).status !== 0)
	throw new Error("the key can't be imported");
const places = ["--socket", path("socket"), "--directory", path("signer"), "--password-file", path("pw")];
const signer = new Subject("the signer", ["signer", "serve", "witness", ...places], path("socket"));
const [first, second] = [await freePort(), await freePort()];
const nodes = [new Node("a", first, second), new Node("b", second, first)] as const;
console.log(`${faults} faults, seed ${values.seed}, in ${root}`);
try {
	for (const each of [signer, ...nodes]) await each.start();
	await growsTo(nodes[0], FIRST_BLOCKS + 2);
	const found: { atMs: number; isSigner: boolean }[] = [];
	for (let count = 0; count < faults; count++) found.push(await disturb(count, nodes, signer));
	const times = await blockTimes(nodes[0]);
	const failures = [
		...signedTwice().map((slot) => `slot ${slot} was signed twice`),
		...lostSlots(times, found),
	];
	console.log(JSON.stringify({ faults, blocks: times.length, failures }));
	process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
	for (const each of [signer, ...nodes]) await each.kill();
	if (process.exitCode === 0) rmSync(root, { recursive: true, force: true });
}
