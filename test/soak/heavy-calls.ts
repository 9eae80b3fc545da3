/**
 * A node with a block per second and the network's time limit for calls answers many concurrent maximal
 * queries: blocks must be on time, and memory must not grow.
 *
 * npm run tool soak:calls -- [--seconds N] [--parallel N]
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { heavyPrograms } from "../node/vm/heavy-programs.js";

interface Ports {
	readonly full: number;
	readonly jsonrpc: number;
	readonly gateway: number;
}

interface Block {
	readonly block_header: { readonly raw_data: { readonly number?: number; readonly timestamp?: number } };
}

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));
const OWNER = `41${"22".repeat(20)}`;
const INTERVAL_MS = 1000;
/** Allowed delay of a block: a running call, and a busy machine. */
const LATENESS_MS = 800;
const GROWTH_MB = 150;

const { values } = parseArgs({
	options: { seconds: { type: "string", default: "60" }, parallel: { type: "string", default: "50" } },
});
const seconds = Number(values.seconds);
const parallel = Number(values.parallel);

async function portsOf(node: ChildProcess, ready: string): Promise<Ports> {
	for (;;) {
		if (node.exitCode !== null) throw new Error(`the node ended with ${node.exitCode}`);
		try {
			return (JSON.parse(readFileSync(ready, "utf8")) as { ports: Ports }).ports;
		} catch {
			// Doesn't exist yet, or is incomplete.
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}

async function post(port: number, path: string, body: unknown): Promise<string> {
	const response = await fetch(`http://127.0.0.1:${port}${path}`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(body),
	});
	return response.text();
}

function rpc(port: number, method: string, params: unknown): Promise<string> {
	return post(port, "/jsonrpc", { jsonrpc: "2.0", id: 1, method, params });
}

/** Contract address of the program at an index. */
function addressOf(index: number): string {
	return `0x${(0x1000 + index).toString(16).padStart(40, "0")}`;
}

function residentMb({ pid }: ChildProcess): number {
	const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
	return Number(line?.[1]) / 1024;
}

const folder = mkdtempSync(join(tmpdir(), "coin-calls-"));
const ready = join(folder, "ready");
const apis = ["http", "solidity", "jsonrpc", "grpc", "grpc-solidity"].flatMap((api) => [
	`--${api}-port`,
	"0",
]);
const words = [
	"node",
	"start",
	"--seal",
	"1",
	"--vm-time-limit",
	"--ready-file",
	ready,
	"--log-format",
	"json",
	"--port",
	"0",
];
const node = spawn(process.execPath, [program, ...words, ...apis], { cwd: folder, stdio: "ignore" });
try {
	const { full, jsonrpc, gateway } = await portsOf(node, ready);
	const codes = [...heavyPrograms];
	for (const [index, [, code]] of codes.entries()) {
		await rpc(gateway, "dev_setCode", [addressOf(index), `0x${code}`]);
	}
	const endsAt = Date.now() + 1000 * seconds;
	let calls = 0;
	const answers = new Map<string, number>();
	const ask = async (): Promise<void> => {
		while (Date.now() < endsAt) {
			const index = calls++ % codes.length;
			const [name, code] = codes[index] as [string, string];
			const text = await (calls % 3 === 0
				? rpc(jsonrpc, "eth_call", [{ from: `0x${OWNER.slice(2)}`, to: addressOf(index) }, "latest"])
				: post(full, `/wallet/${calls % 3 === 1 ? "triggerconstantcontract" : "estimateenergy"}`, {
						owner_address: OWNER,
						data: code,
					}));
			if (!text.startsWith("{")) throw new Error(`${name}: ${text.slice(0, 200)}`);
			const kind = /timeout/.test(text) ? "out of time" : /rror/.test(text) ? "failed" : "answered";
			answers.set(kind, (answers.get(kind) ?? 0) + 1);
		}
	};
	let latest = -1;
	let cameAt = 0;
	let latest0 = -1;
	let slowest = 0;
	const watch = async (): Promise<void> => {
		while (Date.now() < endsAt) {
			const block = JSON.parse(await post(full, "/wallet/getnowblock", {})) as Block;
			const number = block.block_header.raw_data.number ?? 0;
			if (number !== latest) {
				const now = performance.now();
				if (latest >= 0 && cameAt > 0) slowest = Math.max(slowest, (now - cameAt) / (number - latest));
				if (latest0 < 0) latest0 = number;
				latest = number;
				cameAt = now;
			}
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	};
	const sizes: number[] = [];
	const weigh = async (): Promise<void> => {
		while (Date.now() < endsAt) {
			sizes.push(residentMb(node));
			await new Promise((resolve) => setTimeout(resolve, 500));
		}
	};
	await Promise.all([watch(), weigh(), ...Array.from({ length: parallel }, ask)]);
	const third = Math.floor(sizes.length / 3);
	const early = Math.max(...sizes.slice(third, 2 * third));
	const late = Math.max(...sizes.slice(2 * third));
	const report = {
		calls,
		answers: Object.fromEntries(answers),
		blocks: latest - latest0,
		slowestBlockMs: Math.round(slowest),
		residentMb: { early: Math.round(early), late: Math.round(late) },
	};
	process.stdout.write(`${JSON.stringify(report)}\n`);
	const missed = latest - latest0 < seconds - 3 || slowest > INTERVAL_MS + LATENESS_MS;
	if (missed || late - early > GROWTH_MB) process.exitCode = 1;
} finally {
	node.kill("SIGTERM");
	await new Promise((resolve) => node.once("close", resolve));
	rmSync(folder, { recursive: true, force: true });
}
