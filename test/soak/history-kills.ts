/**
 * Repeatedly kills (SIGKILL) a node and the PostgreSQL server of its history, while blocks are produced and
 * reverted; then compares every table with an index built anew from the same blocks.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { kindTables } from "../../src/node/history/postgresql/tables.js";
import type { PostgresqlServer } from "../brokers/postgresql-server.js";
import { between, type Random } from "./random.js";

const START_LIMIT_MS = 120_000;
const END_LIMIT_MS = 300_000;
const COUPON = JSON.parse(
	readFileSync(new URL("../clients/contracts/Coupon.json", import.meta.url), "utf8"),
) as { readonly bytecode: string };
const TRANSFER = "a9059cbb";
const word = (value: number | string): string =>
	(typeof value === "number" ? value.toString(16) : value).padStart(64, "0");

interface HistoryRun {
	readonly server: PostgresqlServer;
	/** The node's data directory. */
	readonly directory: string;
	readonly kills: number;
	readonly random: Random;
	readonly print: (text: string) => void;
}

interface Node {
	readonly child: ChildProcess;
	readonly url: string;
}

async function startNode({ directory, server }: HistoryRun, schema: string): Promise<Node> {
	const readyFile = join(directory, "ready");
	const config = join(directory, "config.conf");
	await rm(readyFile, { force: true });
	await writeFile(
		config,
		`storage {}
dev { enabled = true, seal = instant, port = 0, accounts = 3 }
node.history { database = "${server.url}", schema = "${schema}" }
`,
	);
	const args = ["bin/coin.js", "node", "start", "-c", config, "-d", join(directory, "data")];
	const child = spawn(process.execPath, [...args, "--ready-file", readyFile, "--quiet"], {
		stdio: ["ignore", "ignore", "pipe"],
	});
	let errors = "";
	child.stderr?.on("data", (text) => {
		errors += text;
	});
	for (const end = Date.now() + START_LIMIT_MS; ; ) {
		if (child.exitCode !== null || Date.now() > end) throw new Error(`the node does not start: ${errors}`);
		const ready = await readFile(readyFile, "utf8").catch(() => "");
		if (ready.endsWith("\n")) {
			const { ports } = JSON.parse(ready) as { ports: { gateway: number } };
			return { child, url: `http://127.0.0.1:${ports.gateway}` };
		}
		await sleep(20);
	}
}

async function end({ child }: Node, signal: NodeJS.Signals): Promise<void> {
	const ended = once(child, "exit");
	child.kill(signal);
	await ended;
}

/** @throws {Error} with the message of the JSON-RPC error */
async function rpc<T>({ url }: Node, method: string, params: readonly unknown[] = []): Promise<T> {
	const answer = await fetch(`${url}/jsonrpc`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
	});
	const { result, error } = (await answer.json()) as { result: T; error?: { message: string } };
	if (error) throw new Error(`${method}: ${error.message}`);
	return result;
}

/** Produces blocks with payments and token transfers, and reverts some of them. */
async function grow(node: Node, random: Random, token: string): Promise<void> {
	const accounts = await rpc<string[]>(node, "eth_accounts");
	const mark = await rpc<string>(node, "evm_snapshot");
	const blocks = between(random, 1, 12);
	for (let count = 0; count < blocks; count++) {
		const [from, to] = [accounts[between(random, 0, 2)], accounts[between(random, 0, 2)] as string];
		const data = `0x${TRANSFER}${word(to.slice(2))}${word(between(random, 0, 3))}`;
		const call = random() < 0.5 ? { from: accounts[0], to: token, data } : { from, to, value: "0x7" };
		await rpc(node, "eth_sendTransaction", [call]).catch((error: unknown) => {
			// Accounts can't pay themselves.
			if (!(error instanceof Error) || !/yourself|self/i.test(error.message)) throw error;
		});
	}
	if (random() < 0.25) await rpc(node, "evm_revert", [mark]);
	else if (random() < 0.3) await rpc(node, "evm_mine");
}

async function deploy(node: Node): Promise<string> {
	const [from] = await rpc<string[]>(node, "eth_accounts");
	const name = `${word(6)}${Buffer.from("Coupon").toString("hex").padEnd(64, "0")}`;
	const data = `0x${COUPON.bytecode.replace(/^0x/, "")}${word(64)}${word(1_000_000)}${name}`;
	const id = await rpc<string>(node, "eth_sendTransaction", [{ from, data }]);
	const { contractAddress } = await rpc<{ contractAddress: string }>(node, "eth_getTransactionReceipt", [id]);
	return contractAddress;
}

/** Waits until the history is complete. */
async function whenWhole(node: Node): Promise<void> {
	const account = (await rpc<string[]>(node, "eth_accounts"))[0];
	for (const limit = Date.now() + END_LIMIT_MS; Date.now() < limit; await sleep(200)) {
		const answer = await fetch(`${node.url}/v1/accounts/${account}/transactions?limit=1`);
		const { meta } = (await answer.json()) as { meta?: { backfill?: unknown } };
		if (answer.status === 200 && meta && meta.backfill === undefined) return;
	}
	throw new Error("the history is never whole");
}

/** Rows that only one of two schemas has, by table. */
async function differences(server: PostgresqlServer, one: string, other: string): Promise<string[]> {
	const found: string[] = [];
	for (const { name } of Object.values(kindTables)) {
		for (const [first, second] of [
			[one, other],
			[other, one],
		]) {
			const [row] = await server.query(
				`SELECT count(*)::int AS rows FROM (SELECT * FROM ${first}.${name} EXCEPT SELECT * FROM ${second}.${name}) AS only_there`,
			);
			if (row?.["rows"] !== 0) found.push(`${row?.["rows"]} rows of ${first}.${name} aren't in ${second}`);
		}
	}
	return found;
}

/** @throws {Error} for differences at the end */
export async function killHistory(run: HistoryRun): Promise<void> {
	const { server, kills, random, print } = run;
	let node = await startNode(run, "killed");
	try {
		const token = await deploy(node);
		for (let count = 1; count <= kills; count++) {
			await grow(node, random, token);
			const growing = grow(node, random, token).catch(() => {});
			await sleep(between(random, 0, 150));
			if (random() < 0.5) {
				await server.kill();
				await sleep(between(random, 0, 300));
				await grow(node, random, token).catch(() => {});
				await server.restart();
				await growing;
			} else {
				await end(node, "SIGKILL");
				await growing;
				node = await startNode(run, "killed");
			}
			if (count % 10 === 0) print(`${count} kills`);
		}
		await whenWhole(node);
		await end(node, "SIGTERM");
		node = await startNode(run, "fresh");
		await whenWhole(node);
		await end(node, "SIGTERM");
		const [{ rows, ranges } = {}] = await server.query(
			"SELECT (SELECT count(*)::int FROM killed.token_transfer) AS rows, ranges FROM killed.history_position",
		);
		const [fresh = {}] = await server.query("SELECT ranges FROM fresh.history_position");
		if (JSON.stringify(ranges) !== JSON.stringify(fresh["ranges"])) {
			throw new Error(`one has ${JSON.stringify(ranges)}, the other ${JSON.stringify(fresh["ranges"])}`);
		}
		const wrong = await differences(server, "killed", "fresh");
		if (wrong.length > 0) throw new Error(wrong.join("; "));
		if (Number(rows) < kills) throw new Error(`there are only ${rows} transfers of tokens`);
		print(
			`after ${kills} kills all tables equal fresh ones: ${rows} transfers of tokens, blocks ${JSON.stringify(ranges)}`,
		);
	} finally {
		if (node.child.exitCode === null && node.child.signalCode === null) await end(node, "SIGKILL");
	}
}
