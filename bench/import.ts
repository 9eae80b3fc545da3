/**
 * Imports a recording into an empty node: transfers per second, CPU time, peak memory, disk usage. All
 * signatures are checked, and the state is durable at the end.
 *
 * npm run tool bench:import -- [folder of a recorded set]
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readBlockFile } from "../src/node/chain/block-file.js";
import { importBlocks } from "../src/node/chain/importer.js";
import { OpenChain } from "../src/node/chain/open-chain.js";
import { createContractMachine } from "../src/node/contract-runner.js";
import { loadShieldedSupport } from "../src/node/shielded-support.js";
import { installRecoverEngine } from "../src/node/signatures/engine.js";
import { SignaturePool, workerScript } from "../src/node/signatures/pool.js";
import { useFastHashing } from "../src/protocol/hash.js";
import { DEFAULT_SET } from "./recorded/default-set.js";
import { recordedConfig } from "./recorded/recorded-config.js";

const folder = process.argv[2] ?? DEFAULT_SET;
const name = basename(folder);
const script = workerScript();
if (!script) throw new Error("run this from the bundle: npm run tool bench:import");

const engine = installRecoverEngine();
await useFastHashing();
const threads = Number(process.env["BENCH_THREADS"] ?? 1);
const pool = await SignaturePool.start(script, threads);
const recorded = recordedConfig(folder);
// Recordings enable the balance history, which nodes have off by default.
const balanceHistory = recorded.storage.balanceHistory && process.env["BENCH_BALANCES"] !== "off";
const stateHash = process.env["BENCH_STATE_HASH"] === "on";
const config = {
	...recorded,
	storage: { ...recorded.storage, balanceHistory },
	node: { ...recorded.node, stateHash },
};
const directory = mkdtempSync(join(tmpdir(), "coin-bench-"));
try {
	const machine = createContractMachine(config, false);
	const open = await OpenChain.open({
		config,
		dataDirectory: directory,
		clock: () => BigInt(Date.now()),
		shielded: await loadShieldedSupport(config, false),
		machine: machine.run,
		guess: (transaction) => machine.guesses.of(transaction),
		onStorageFailure: (error) => {
			throw error;
		},
	});
	// Unpacks the recording first, which would otherwise take a tenth of the time.
	const blocks: Uint8Array[] = [];
	for await (const block of readBlockFile(join(folder, `${name}.ndjson.br`))) blocks.push(block);
	const started = performance.now();
	const cpu = process.cpuUsage();
	const steps: { readonly blocks: number; readonly transactions: number; readonly ms: number }[] = [];
	const total = await importBlocks(
		{
			open,
			pool,
			onProgress: ({ blocks, transactions }) => {
				steps.push({ blocks, transactions, ms: performance.now() - started });
			},
		},
		blocks,
	);
	const importedMs = performance.now() - started;
	await open.close();
	const endMs = performance.now() - started;
	const used = process.cpuUsage(cpu);
	const transactions = total?.transactions ?? 0;
	const middle = (steps.at(-1)?.blocks ?? 0) / 2;
	const half = steps.findLast(({ blocks }) => blocks <= middle) ?? { transactions: 0, ms: 0 };
	const report = {
		set: name,
		transactions,
		seconds: round(endMs / 1000),
		perSecond: Math.round(transactions / (endMs / 1000)),
		warmHalfPerSecond: Math.round((transactions - half.transactions) / ((endMs - half.ms) / 1000)),
		closingMs: Math.round(endMs - importedMs),
		cpuSeconds: round((used.user + used.system) / 1e6),
		peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
		diskMB: round(diskBytes(directory) / 1e6),
		engine,
		threads,
		balanceHistory,
		stateHash,
		head: total?.block.idHex,
	};
	process.stdout.write(`${JSON.stringify(report)}\n`);
} finally {
	await pool.close();
	rmSync(directory, { recursive: true, force: true });
}

function diskBytes(path: string): number {
	return readdirSync(path, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function round(value: number): number {
	return Math.round(value * 100) / 100;
}
