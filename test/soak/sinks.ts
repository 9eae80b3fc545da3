/**
 * Repeatedly kills (SIGKILL) a node and the receiver of its webhook, then checks the receiver's log: every
 * block from 1 to the last is there, and duplicates are equal.
 *
 *     npm run tool soak:sinks -- [100] [--seed 1]
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "../free-port.js";
import { between, randomFrom } from "./random.js";

const START_LIMIT_MS = 120_000;
/** Without a new block, after the last kill: refused deliveries are retried after a minute at most. */
const END_LIMIT_MS = 180_000;

/** Writes each delivery to disk before acknowledging it; refuses one in five. */
const RECEIVER = `
import { createServer } from "node:http";
import { appendFileSync, openSync, fsyncSync } from "node:fs";
const [port, file] = process.argv.slice(1);
const handle = openSync(file, "a");
createServer((request, response) => {
	let body = "";
	request.setEncoding("utf8").on("data", (text) => { body += text; });
	request.on("end", () => {
		if (Math.random() < 0.2) return response.writeHead(503).end();
		appendFileSync(handle, JSON.stringify({ id: request.headers["coin-event-id"], body }) + "\\n");
		fsyncSync(handle);
		response.writeHead(204).end();
	});
}).listen(Number(port), "127.0.0.1");
`;

interface Run {
	readonly directory: string;
	readonly received: string;
	readonly port: number;
}

function startReceiver({ port, received }: Run): ChildProcess {
	const args = ["--input-type=module", "-e", RECEIVER, String(port), received];
	return spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
}

async function startNode({ directory }: Run): Promise<{ child: ChildProcess; url: string }> {
	const readyFile = join(directory, "ready");
	await rm(readyFile, { force: true });
	const args = [
		"bin/coin.js",
		"node",
		"start",
		"-c",
		join(directory, "config.conf"),
		"-d",
		join(directory, "data"),
	];
	const child = spawn(process.execPath, [...args, "--ready-file", readyFile, "--quiet"], {
		stdio: ["ignore", "ignore", "pipe"],
	});
	let errors = "";
	child.stderr?.on("data", (text) => {
		errors += text;
	});
	const end = Date.now() + START_LIMIT_MS;
	for (;;) {
		if (child.exitCode !== null || Date.now() > end) throw new Error(`the node does not start: ${errors}`);
		const ready = await readFile(readyFile, "utf8").catch(() => "");
		if (ready.endsWith("\n")) {
			const { ports } = JSON.parse(ready) as { ports: { gateway: number } };
			return { child, url: `http://127.0.0.1:${ports.gateway}` };
		}
		await sleep(20);
	}
}

async function kill(child: ChildProcess): Promise<void> {
	const ended = once(child, "exit");
	child.kill("SIGKILL");
	await ended;
}

async function headOf(url: string): Promise<number> {
	const answer = await fetch(`${url}/wallet/getnowblock`, { method: "POST", body: "{}" });
	const block = (await answer.json()) as { block_header: { raw_data: { number?: number } } };
	return block.block_header.raw_data.number ?? 0;
}

/** Mines blocks. */
async function mine(url: string, blocks: number): Promise<void> {
	const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tre_mine", params: [{ blocks }] });
	await fetch(`${url}/jsonrpc`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body,
	}).catch(() => undefined);
}

/** @returns received heights. @throws {Error} for differing deliveries of one id */
function receivedBlocks(file: string): ReadonlySet<number> {
	const bodies = new Map<string, string>();
	const numbers = new Set<number>();
	const lines = readFileSync(file, "utf8").split("\n");
	// An incomplete last line was never acknowledged.
	for (const line of lines.filter((text) => text.endsWith("}"))) {
		const { id, body } = JSON.parse(line) as { id: string; body: string };
		const known = bodies.get(id);
		if (known !== undefined && known !== body) throw new Error(`delivery ${id} came twice, and differs`);
		bodies.set(id, body);
		numbers.add((JSON.parse(body) as { blockNumber: number }).blockNumber);
	}
	return numbers;
}

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { seed: { type: "string", default: String(Date.now() % 1_000_000) } },
});
const kills = Number(positionals[0] ?? 100);
const random = randomFrom(Number(values.seed));
const directory = await mkdtemp(join(tmpdir(), "coin-sinks-"));
const run: Run = { directory, received: join(directory, "received"), port: await freePort() };
await writeFile(run.received, "");
await writeFile(
	join(directory, "config.conf"),
	`storage {}
dev { enabled = true, seal = "1", port = 0, accounts = 2 }
event.subscribe.webhooks = [{ name = soak, url = "http://127.0.0.1:${run.port}/", fromBlock = 1 }]
`,
);
process.stdout.write(`${kills} kills, seed ${values.seed}, in ${directory}\n`);
let receiver = startReceiver(run);
let node = await startNode(run);
try {
	for (let count = 1; count <= kills; count++) {
		await mine(node.url, between(random, 1, 20));
		await sleep(between(random, 0, 400));
		if (random() < 0.5) {
			await kill(receiver);
			receiver = startReceiver(run);
		} else {
			await kill(node.child);
			node = await startNode(run);
		}
	}
	const head = await headOf(node.url);
	let end = Date.now() + END_LIMIT_MS;
	let missing: number[] = [];
	for (let left = head + 1; left > 0 && Date.now() < end; left = missing.length) {
		await sleep(200);
		const received = receivedBlocks(run.received);
		missing = Array.from({ length: head }, (_, i) => i + 1).filter((number) => !received.has(number));
		if (missing.length < left) end = Date.now() + END_LIMIT_MS;
	}
	if (missing.length > 0)
		throw new Error(`of ${head} blocks these never came: ${missing.slice(0, 20).join(", ")}`);
	process.stdout.write(`all ${head} blocks were received after ${kills} kills\n`);
} finally {
	await kill(node.child);
	await kill(receiver);
}
await rm(directory, { recursive: true, force: true });
