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

async function rpc(
	{ url }: Node,
	method: string,
	...params: readonly unknown[]
): Promise<Record<string, unknown>> {
	const answer = await fetch(url, {
		method: "POST",
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
	});
	return (await answer.json()) as Record<string, unknown>;
}

async function firstKnown(node: Node): Promise<number> {
	const { result } = (await rpc(node, "coin_getStateInfo")) as { result: { history: { first: number } } };
	return result.history.first;
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
	const { result } = (await rpc(whole, "coin_getStateKeys", "witness")) as { result: { keys: string[] } };
	const entries = [
		...properties.map((name) => ["properties", `0x${Buffer.from(name).toString("hex")}`]),
		...result.keys.flatMap((key) => ["witness", "account"].map((store) => [store, key])),
	];
	const { result: head } = (await rpc(whole, "eth_blockNumber")) as { result: string };
	for (let block = 0; block <= Number(head); block++) {
		const answer = await rpc(whole, "coin_getState", entries, block);
		expect(answer).toHaveProperty("result");
		expect(await rpc(late, "coin_getState", entries, block)).toEqual(answer);
	}
	await late.stop();
	const again = await start("late");
	expect(await firstKnown(again)).toBe(0);
	expect(again.output()).not.toContain("filling in");
	await again.stop();
	await whole.stop();
});
