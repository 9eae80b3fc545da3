/**
 * Two nodes with one witness behind one signer: kills or halts a node, cuts their network, sets a node's
 * clock forward or back, or kills the signer. No slot may have two signatures, as seen by the nodes and not
 * by the signer's log, and a node's failure may cost one slot at most. With --tls the nodes reach the signer by
 * mutual TLS, as on other machines.
 *
 *     npm run tool soak:standby -- [100] [--seed 1] [--only clock] [--tls]
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
	appendFileSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { BlockHeaderRaw } from "../../src/protocol/messages.js";
import { freePort } from "../free-port.js";
import { between, randomFrom } from "./random.js";
import { socketLink, tlsLink } from "./signer-link.js";

const KEY = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";
const WITNESS = "TKXQJfLRSmRpqAM5e5GX4PHQVk9SqiFqkB";
const SLOT_MS = 3_000;
/** Longer than a slot: a halted node is behind when it continues. */
const HALT_MS = 8_000;
/** A clock jumps by up to twice of what a signer tolerates. */
const MAX_JUMP_SECONDS = 20;
/** One in so many faults kills the signer. */
const EVERY_SIGNER = 10;
const PATIENCE_MS = 120_000;
/** Blocks before a new chain's first maintenance, after which slots are skipped once. */
const FIRST_BLOCKS = 3;

const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: {
		seed: { type: "string", default: String(Date.now() % 1_000_000) },
		only: { type: "string" },
		tls: { type: "boolean", default: false },
	},
});
const faults = Number(positionals[0] ?? 100);
if (values.only !== undefined && values.only !== "clock") throw new Error("--only clock, or none");
const random = randomFrom(Number(values.seed));
const root = mkdtempSync(join(tmpdir(), "coin-standby-"));
const environment = { PATH: process.env["PATH"] ?? "", HOME: root, COIN_TTY: join(root, "none") };
const path = (name: string): string => join(root, name);
const link = values.tls ? await tlsLink(path) : socketLink(path);
/** Loaded into a node's process: its clock, which all of the node reads, is as far off as its file says. */
const CLOCK = `import { readFileSync } from "node:fs";
const { now } = Date;
let offMs = 0;
setInterval(() => { offMs = Number(readFileSync(process.env.STANDBY_CLOCK, "utf8")); }, 50).unref();
Date.now = () => now() + offMs;
`;

const configuration = (name: string, own: number, other: number): string => `
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
localwitness { ${link.settings(name)} }
genesis.block {
  timestamp = "${Math.trunc(Date.now() / SLOT_MS) * SLOT_MS - SLOT_MS}", parentHash = "${"0".repeat(64)}"
  assets = [
    { accountName = Zion, accountType = AssetIssue, address = ${WITNESS}, balance = "95000000000000000" }
    { accountName = Blackhole, accountType = AssetIssue, address = TBTVUiQsfEzSsZe7SxEDJ5j95pasVRrDWU, balance = "-9223372036854775808" }
  ]
  witnesses = [{ address: ${WITNESS}, url = "http://witness", voteCount = 10 }]
}`;

/** Signed headers in hexadecimal, by slot time. */
const signedHeaders = new Map<string, Set<string>>();

/** Passes on what a node asks and the signer answers, and records signed headers independently of the signer's log. */
function recordSignatures(node: Socket, signer: Socket): void {
	let [asked, answered] = ["", ""];
	node.on("data", (chunk) => {
		asked += String(chunk);
		signer.write(chunk);
	});
	// Recorded before the node receives it: either may be killed right after.
	signer.on("data", (chunk) => {
		answered += String(chunk);
		if (answered.endsWith("\n")) note(asked, answered);
		node.write(chunk);
	});
	signer.on("end", () => node.end());
	node.on("end", () => signer.end());
	for (const socket of [node, signer])
		socket.on("error", () => {
			node.destroy();
			signer.destroy();
		});
}

function note(asked: string, answered: string): void {
	if (!answered.includes('"signature"')) return;
	const request = JSON.parse(asked) as { readonly do: string; readonly data: string };
	if (request.do !== "block") return;
	const slot = String(BlockHeaderRaw.decode(fromHex(request.data)).timestamp);
	signedHeaders.set(slot, (signedHeaders.get(slot) ?? new Set()).add(toHex(fromHex(request.data))));
}

/** The connection between the nodes' peer ports, which can be cut. */
class Cable {
	private readonly sockets = new Set<Socket>();
	private isCut = false;

	/** @returns a server that forwards to the peer at a port */
	lead(own: number, to: number): Server {
		return createServer((from) => {
			if (this.isCut) return void from.destroy();
			const onward = connect(to, "127.0.0.1");
			for (const socket of [from, onward]) {
				this.sockets.add(socket);
				socket
					.on("error", () => undefined)
					.on("close", () => {
						this.sockets.delete(socket);
						from.destroy();
						onward.destroy();
					});
			}
			from.pipe(onward).pipe(from);
		}).listen(own, "127.0.0.1");
	}

	async cut(ms: number): Promise<void> {
		this.isCut = true;
		for (const socket of this.sockets) socket.destroy();
		await sleep(ms);
		this.isCut = false;
	}
}

/** A process that is restarted after each kill. */
class Subject {
	child: ChildProcess | undefined;
	private output = "";

	constructor(
		readonly name: string,
		private readonly words: readonly string[],
		private readonly sign: string,
		private readonly more: Readonly<Record<string, string>> = {},
	) {}

	async start(): Promise<void> {
		this.output = "";
		const child = spawn(process.execPath, ["bin/coin.js", ...this.words], {
			env: { ...environment, ...this.more },
		});
		this.child = child;
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding("utf8").on("data", (text: string) => {
				this.output = (this.output + text).slice(-10_000);
				appendFileSync(path(`${this.name}.log`), text);
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
		writeFileSync(file, configuration(name, own, other));
		const places = ["-c", file, "-d", path(name), "--ready-file", path(`${name}.ready`)];
		super(name, ["node", "start", "-w", "--host", "127.0.0.1", ...places], "coin node ready", {
			NODE_OPTIONS: `--import=${path("clock.mjs")}`,
			STANDBY_CLOCK: path(`${name}.clock`),
		});
		this.setClock(0);
	}

	/** @param seconds ahead of the machine's clock; negative: behind */
	setClock(seconds: number): void {
		writeFileSync(path(`${this.name}.new`), String(seconds * 1_000));
		renameSync(path(`${this.name}.new`), path(`${this.name}.clock`));
	}

	override async start(): Promise<void> {
		// Removes the ready file of the previous process.
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

/** Times of the chain's blocks, without the first ones. */
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

interface Fault {
	readonly atMs: number;
	/** Whether slots may be lost: the signer was down, a clock was wrong, or the chain left a branch. */
	readonly mayLose: boolean;
}

async function disturb(
	count: number,
	nodes: readonly [Node, Node],
	signer: Subject,
	cable: Cable,
): Promise<Fault> {
	await sleep(between(random, 0, SLOT_MS));
	const isClock = values.only === "clock" || random() < 0.15;
	const isSigner = !isClock && count % EVERY_SIGNER === EVERY_SIGNER - 1;
	const node = nodes[between(random, 0, 1)] as Node;
	const other = nodes[0] === node ? nodes[1] : nodes[0];
	const before = await other.head();
	const atMs = Date.now();
	const isSplit = !isClock && !isSigner && random() < 0.2;
	if (isClock) {
		node.setClock(between(random, -MAX_JUMP_SECONDS, MAX_JUMP_SECONDS));
		await sleep(HALT_MS);
		node.setClock(0);
	} else if (isSigner) {
		await signer.kill();
		await signer.start();
	} else if (isSplit) {
		await cable.cut(HALT_MS);
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
	return { atMs, mayLose: isSigner || isSplit || isClock };
}

/** Slots lost by a node's failure alone: more than one in a row, or two within one fault. */
function lostSlots(times: readonly number[], found: readonly Fault[]): string[] {
	return found.flatMap(({ atMs, mayLose }, index) => {
		const endMs = found[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
		const around = times.filter((time) => time > atMs - 2 * SLOT_MS && time < endMs);
		const lost = around
			.slice(1)
			.reduce((sum, time, at) => sum + (time - (around[at] as number)) / SLOT_MS - 1, 0);
		return !mayLose && lost > 1 ? [`fault ${index} cost ${lost} slots`] : [];
	});
}

const signedTwice = (): string[] =>
	[...signedHeaders].filter(([, headers]) => headers.size > 1).map(([slot]) => slot);

writeFileSync(path("clock.mjs"), CLOCK);
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
const places = [...link.words, "--directory", path("signer"), "--password-file", path("pw")];
const signer = new Subject("the signer", ["signer", "serve", "witness", ...places], link.sign);
const [first, second] = [await freePort(), await freePort()];
const leads = [await freePort(), await freePort()] as const;
const cable = new Cable();
const servers = [cable.lead(leads[0], second), cable.lead(leads[1], first), link.record(recordSignatures)];
const nodes = [new Node("a", first, leads[0]), new Node("b", second, leads[1])] as const;
console.log(`${faults} faults, seed ${values.seed}, in ${root}`);
try {
	for (const each of [signer, ...nodes]) await each.start();
	await growsTo(nodes[0], FIRST_BLOCKS + 2);
	const found: Fault[] = [];
	for (let count = 0; count < faults; count++) found.push(await disturb(count, nodes, signer, cable));
	const times = await blockTimes(nodes[0]);
	const unseen = times.filter((time) => !signedHeaders.has(String(time)));
	const failures = [
		...unseen.map((time) => `slot ${time} has a block whose signature was not seen`),
		...signedTwice().map((slot) => `slot ${slot} was signed twice`),
		...lostSlots(times, found),
		...(readFileSync(join(path("signer"), "decisions.log"), "utf8").includes('"signed elsewhere"')
			? ["the signer took a block of its own for another one's"]
			: []),
	];
	const signed = signedHeaders.size;
	const slots = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / SLOT_MS + 1;
	console.log(JSON.stringify({ faults, blocks: times.length, slots, signed, failures }));
	process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
	for (const each of [signer, ...nodes]) await each.kill();
	for (const server of servers) server.close();
	if (process.exitCode === 0) rmSync(root, { recursive: true, force: true });
}
