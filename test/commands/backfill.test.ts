/** A node whose history of the state is switched on for a directory that has its blocks already. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { awaited, readyFile } from "./awaited.js";
import { Home } from "./coin-process.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));
const set = fileURLToPath(new URL("../golden/core-accounts/core-accounts", import.meta.url));
const STATE = `
node.shielded.allowUnverified = true
node.history.state = all
node.jsonrpc { state = true, httpFullNodeEnable = true, httpFullNodePort = 0, httpSolidityEnable = false, httpPBFTEnable = false }
node.http { fullNodePort = 0, solidityEnable = false, PBFTEnable = false }
node.metrics.prometheus.enable = false
node.rpc { enable = false, solidityEnable = false, PBFTEnable = false }
node.listen.port = 0
node.discovery.enable = false
`;

/** Of JSON-RPC in one request. */
const CALLS_AT_ONCE = 50;

let home: Home;
const running: ChildProcess[] = [];
beforeEach(() => {
	home = new Home();
	const text = readFileSync(`${set}.conf`, "utf8");
	writeFileSync(join(home.path, "without.conf"), `${text}\nnode.shielded.allowUnverified = true\n`);
	writeFileSync(join(home.path, "with.conf"), `${text}\n${STATE}`);
});
afterEach(async () => {
	for (const child of running.splice(0)) child.kill("SIGKILL");
	home.remove();
});

interface Node {
	readonly child: ChildProcess;
	readonly url: string;
	readonly output: () => string;
	stop(): Promise<void>;
}

async function start(directory: string): Promise<Node> {
	const ready = join(home.path, `ready-${Math.random()}`);
	const words = ["node", "start", "-c", "with.conf", "-d", directory, "--host", "127.0.0.1"];
	const child = spawn(process.execPath, [program, ...words, "--log-format", "json", "--ready-file", ready], {
		cwd: home.path,
		env: { PATH: process.env["PATH"] ?? "", HOME: home.path },
	});
	running.push(child);
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.on("data", (text: Buffer) => {
			output += text.toString();
		});
	const { ports } = await readyFile<{ readonly ports: { readonly jsonrpc: number } }>(
		child,
		ready,
		() => output,
	);
	return {
		child,
		url: `http://127.0.0.1:${ports.jsonrpc}/jsonrpc`,
		output: () => output,
		stop: async () => {
			const ended = new Promise((resolve) => child.once("close", resolve));
			child.kill("SIGTERM");
			await ended;
		},
	};
}

interface Call {
	readonly method: string;
	readonly params: readonly unknown[];
}

/** Asks in batches: on a busy machine each answer to wait for takes a tenth of a second. */
async function rpc({ url }: Node, calls: readonly Call[]): Promise<readonly unknown[]> {
	const results: unknown[] = [];
	for (let from = 0; from < calls.length; from += CALLS_AT_ONCE) {
		const batch = calls
			.slice(from, from + CALLS_AT_ONCE)
			.map((call, id) => ({ jsonrpc: "2.0", id, ...call }));
		const answer = await fetch(url, { method: "POST", body: JSON.stringify(batch) });
		const entries = (await answer.json()) as readonly { readonly id: number; readonly result?: unknown }[];
		expect(entries.map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
		for (const entry of entries) {
			expect(entry).toHaveProperty("result");
			results.push(entry.result);
		}
	}
	return results;
}

async function firstKnown(node: Node): Promise<number> {
	const [info] = await rpc(node, [{ method: "coin_getStateInfo", params: [] }]);
	return (info as { history: { first: number } }).history.first;
}

test("it is filled in while the node runs, and is that of a directory that had it from the start", async () => {
	const importTo = async (config: string, directory: string): Promise<void> => {
		const words = ["chain", "import", `${set}.ndjson.br`, "-c", config, "-d", directory, "--json"];
		expect(await home.run(words)).toMatchObject({ code: 0 });
	};
	await importTo("without.conf", "late");
	await importTo("with.conf", "whole");
	const [late, whole] = await Promise.all([start("late"), start("whole")]);
	expect(
		await awaited(late.child, () => /(is|can't be) filled in/.exec(late.output())?.[1], late.output),
	).toBe("is");
	expect(await firstKnown(late)).toBe(0);
	expect(existsSync(join(home.path, "late", "backfill"))).toBe(false);
	const properties = ["latest_block_header_number", "TOTAL_NET_WEIGHT", "NEXT_MAINTENANCE_TIME"];
	const [witnesses, head] = (await rpc(whole, [
		{ method: "coin_getStateKeys", params: ["witness"] },
		{ method: "eth_blockNumber", params: [] },
	])) as [{ keys: string[] }, string];
	const entries = [
		...properties.map((name) => ["properties", `0x${Buffer.from(name).toString("hex")}`]),
		...witnesses.keys.flatMap((key) => ["witness", "account"].map((store) => [store, key])),
	];
	const calls = Array.from({ length: Number(head) + 1 }, (_, block) => ({
		method: "coin_getState",
		params: [entries, block],
	}));
	expect(await rpc(late, calls)).toEqual(await rpc(whole, calls));
	await late.stop();
	const again = await start("late");
	expect(await firstKnown(again)).toBe(0);
	expect(again.output()).not.toContain("filling in");
	await again.stop();
	await whole.stop();
});
