/** A node with an index that is killed while it writes: after each start the lists are those of its blocks. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	deriveAccounts,
} from "../../src/node/development/accounts.js";
import { toHex } from "../../src/protocol/bytes.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";
import { readyFile } from "./awaited.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));
const [anna, bert] = deriveAccounts(DEVELOPMENT_MNEMONIC, DEVELOPMENT_HD_PATH, 2, 0n).map(({ privateKey }) =>
	toHex(addressOfPrivateKey(privateKey)),
) as [string, string];
const KILLS = 4;
const SENT = 25;

type Json = Record<string, unknown>;

let directory: string;
let node: ChildProcess | undefined;
let url = "";

beforeAll(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-history-kill-"));
});
afterAll(async () => {
	if (node && node.exitCode === null) await kill();
	rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<void> {
	const ready = join(directory, "ready");
	rmSync(ready, { force: true });
	const words = [
		"node",
		"start",
		"--dev",
		"-d",
		join(directory, "data"),
		"--ready-file",
		ready,
		"--port",
		"0",
	];
	const child = spawn(process.execPath, [program, ...words], {
		cwd: directory,
		env: { PATH: process.env["PATH"] ?? "", HOME: directory },
		stdio: "ignore",
	});
	node = child;
	const { ports } = await readyFile<{ ports: { gateway: number } }>(child, ready);
	url = `http://127.0.0.1:${ports.gateway}`;
}

async function kill(): Promise<void> {
	const child = node as ChildProcess;
	const ended = once(child, "exit");
	child.kill("SIGKILL");
	await ended;
}

async function post(path: string, body: object): Promise<Json> {
	const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
	return (await answer.json()) as Json;
}

const rpc = (method: string, params: readonly unknown[]): Promise<Json> =>
	post("/dev", { id: 1, method, params });

async function send(amount: number): Promise<void> {
	const built = await post("/wallet/createtransaction", { owner_address: anna, to_address: bert, amount });
	await post("/wallet/broadcasttransaction", { ...built, signature: [] });
}

/** Ids of all transactions that name an account, by its list and by looking through the blocks. */
async function bothWays(): Promise<{ readonly listed: unknown[]; readonly found: unknown[] }> {
	const listed: unknown[] = [];
	let next: string | undefined =
		`${url}/v1/accounts/${bert}/transactions?limit=20&order_by=block_timestamp,asc`;
	while (next) {
		const page = (await (await fetch(next)).json()) as {
			readonly data: readonly Json[];
			readonly meta: { readonly links?: { readonly next: string }; readonly backfill?: unknown };
		};
		expect(page.meta.backfill).toBeUndefined();
		listed.push(...page.data.map(({ txID }) => txID));
		next = page.meta.links?.next;
	}
	const head = Number(((await rpc("dev_info", []))["result"] as { head: number }).head);
	const found: unknown[] = [];
	for (let number = 0; number <= head; number++) {
		const { transactions = [] } = (await post("/wallet/getblockbynum", { num: number })) as {
			transactions?: Json[];
		};
		for (const transaction of transactions) {
			if (JSON.stringify(transaction["raw_data"]).includes(bert)) found.push(transaction["txID"]);
		}
	}
	return { listed, found };
}

it("goes on with whole lists", async () => {
	await start();
	await rpc("dev_impersonateAccount", [anna]);
	let amount = 1;
	for (let round = 0; round < KILLS; round++) {
		for (let n = 0; n < SENT; n++) await send(amount++);
		// An edit brings everything to the disk, the index too; the kill comes while that goes on.
		const edit = rpc("dev_setBalance", [bert, 1_000_000 + round]).catch(() => undefined);
		await new Promise((resolve) => setTimeout(resolve, round * 7));
		await kill();
		await edit;
		await start();
		await rpc("dev_impersonateAccount", [anna]);
		const { listed, found } = await bothWays();
		expect(listed).toEqual(found);
		expect(listed.length).toBeGreaterThanOrEqual((round + 1) * SENT);
	}
	expect(existsSync(join(directory, "data", "history"))).toBe(true);
});
