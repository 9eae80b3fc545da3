/**
 * Duration of calls on a fork: the first of a contract, which fetches its entries, and later ones, compared
 * with calls at the source. Both are local development chains of the built program. The contract reads as
 * many slots as its argument says.
 *
 * npm run tool bench:fork -- [rounds]
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const PROGRAM = resolve("bin/coin.js");
/** Sums the slots from its argument down to 1. */
const CODE = "0x60003560005b81156017578154019060019003906005565b60005260206000f3";
const SLOTS = [0, 20, 200];
const CALLS = 300;

interface Chain {
	readonly child: ChildProcess;
	readonly url: string;
}

async function start(folder: string, ...words: readonly string[]): Promise<Chain> {
	const ready = join(folder, `ready-${Math.random()}`);
	const all = [PROGRAM, "node", "start", "--port", "0", "--ready-file", ready, ...words];
	const child = spawn(process.execPath, all, { stdio: "ignore", env: { ...process.env, HOME: folder } });
	for (;;) {
		if (child.exitCode !== null) throw new Error(`a chain ended with ${child.exitCode}`);
		try {
			const { ports } = JSON.parse(readFileSync(ready, "utf8")) as {
				readonly ports: { readonly gateway: number };
			};
			return { child, url: `http://127.0.0.1:${ports.gateway}` };
		} catch {
			await new Promise((later) => setTimeout(later, 10));
		}
	}
}

async function rpc({ url }: Chain, method: string, ...params: readonly unknown[]): Promise<unknown> {
	const answer = await fetch(`${url}/jsonrpc`, {
		method: "POST",
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
	});
	const { result, error } = (await answer.json()) as {
		readonly result?: unknown;
		readonly error?: { message: string };
	};
	if (error) throw new Error(error.message);
	return result;
}

const word = (value: number): string => value.toString(16).padStart(64, "0");
const contractOf = (slots: number): string => `0x${(0xc0de00 + slots).toString(16).padStart(40, "0")}`;

async function timed(work: () => Promise<unknown>): Promise<number> {
	const started = performance.now();
	await work();
	return performance.now() - started;
}

const median = (values: readonly number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

const call = (chain: Chain, slots: number): Promise<unknown> =>
	rpc(chain, "eth_call", { to: contractOf(slots), data: `0x${word(slots)}` }, "latest");

const rounds = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(join(tmpdir(), "coin-bench-fork-"));
const chains: Chain[] = [];
try {
	const source = await start(folder);
	chains.push(source);
	for (const slots of SLOTS) {
		await rpc(source, "hardhat_setCode", contractOf(slots), CODE);
		for (let slot = 1; slot <= slots; slot++)
			await rpc(source, "hardhat_setStorageAt", contractOf(slots), `0x${word(slot)}`, `0x${word(slot)}`);
	}
	await rpc(source, "hardhat_mine", "0x1");
	const starts: number[] = [];
	const first = new Map<number, number[]>();
	const later = new Map<number, { readonly fork: number[]; readonly source: number[] }>();
	for (let round = 0; round < rounds; round++) {
		let fork: Chain | undefined;
		starts.push(
			await timed(async () => {
				fork = await start(folder, "--fork-url", source.url, "-d", join(folder, `fork-${round}`));
			}),
		);
		if (!fork) continue;
		chains.push(fork);
		for (const slots of SLOTS) {
			const expected = await call(source, slots);
			let given: unknown;
			const ms = await timed(async () => {
				given = await call(fork as Chain, slots);
			});
			if (given !== expected || BigInt(expected as string) !== BigInt((slots * (slots + 1)) / 2))
				throw new Error(`the fork answers ${given}, its source ${expected}`);
			first.set(slots, [...(first.get(slots) ?? []), ms]);
			const times = later.get(slots) ?? { fork: [], source: [] };
			later.set(slots, times);
			for (let n = 0; n < CALLS; n++) {
				times.fork.push(await timed(() => call(fork as Chain, slots)));
				times.source.push(await timed(() => call(source, slots)));
			}
		}
		fork.child.kill();
	}
	console.log(
		`start of a fork until all servers answer: ${median(starts).toFixed(0)} ms (median of ${rounds})`,
	);
	console.log("slots  first call  later  at the source  ratio");
	for (const [slots, times] of later) {
		const [fork, own] = [median(times.fork), median(times.source)];
		const begin = median(first.get(slots) ?? []);
		console.log(
			`${String(slots).padStart(5)}  ${begin.toFixed(1).padStart(7)} ms  ${fork.toFixed(2)} ms  ${own.toFixed(2)} ms  ${(fork / own).toFixed(2)}`,
		);
	}
} finally {
	for (const { child } of chains) child.kill();
	rmSync(folder, { recursive: true, force: true });
}
