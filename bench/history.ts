/**
 * Cost of the state history (`node.history.state`): importing a recording with and without it alternately;
 * disk usage; reading accounts and running the recording's contract calls at old blocks and at the head.
 *
 * npm run tool bench:history -- [folder of a recorded set] [rounds]
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readBlockFile } from "../src/node/chain/block-file.js";
import { importBlocks } from "../src/node/chain/importer.js";
import { OpenChain } from "../src/node/chain/open-chain.js";
import { createContractMachine } from "../src/node/contract-runner.js";
import { ForkGates } from "../src/node/rules/fork-gates.js";
import { loadShieldedSupport } from "../src/node/shielded-support.js";
import { installRecoverEngine } from "../src/node/signatures/engine.js";
import { SignaturePool, workerScript } from "../src/node/signatures/pool.js";
import { compactLevelDatabase } from "../src/node/state/database.js";
import type { StateView } from "../src/node/state/view.js";
import { useFastHashing } from "../src/protocol/hash.js";
import type { SignedTransaction } from "../src/protocol/transaction.js";
import { DEFAULT_SET } from "./recorded/default-set.js";
import { recordedConfig } from "./recorded/recorded-config.js";

/** Accounts and calls to read, each at its own block. */
const READS = 400;

const [folder = DEFAULT_SET, roundsText = "3"] = process.argv.slice(2);
const name = basename(folder);
const script = workerScript();
if (!script) throw new Error("run this from the bundle: npm run tool bench:history");
installRecoverEngine();
await useFastHashing();
const pool = await SignaturePool.start(script, 1);
const recorded = recordedConfig(folder);
const machine = createContractMachine(recorded, false);
const shielded = await loadShieldedSupport(recorded, false);

function open(directory: string, isKept: boolean): Promise<OpenChain> {
	const history = { ...recorded.node.history, stateBlocks: isKept ? Number.POSITIVE_INFINITY : 0 };
	return OpenChain.open({
		config: { ...recorded, node: { ...recorded.node, history } },
		dataDirectory: directory,
		clock: () => BigInt(Date.now()),
		shielded,
		machine: machine.run,
		onStorageFailure: (error) => {
			throw error;
		},
	});
}

interface Imported {
	readonly ms: number;
	readonly cpuMs: number;
	readonly blockBytes: number;
}

async function importSet(directory: string, isKept: boolean): Promise<Imported> {
	const chain = await open(directory, isKept);
	let blockBytes = 0;
	chain.chain.observe({
		committed: ({ block }) => {
			blockBytes += block.bytes.length;
		},
	});
	const cpu = process.cpuUsage();
	const started = performance.now();
	await importBlocks({ open: chain, pool }, readBlockFile(join(folder, `${name}.ndjson.br`)));
	await chain.close();
	const ms = performance.now() - started;
	const used = process.cpuUsage(cpu);
	return { ms, cpuMs: (used.user + used.system) / 1000, blockBytes };
}

const sizeOf = (directory: string): number =>
	readdirSync(directory, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

async function compactedSize(directory: string): Promise<number> {
	await compactLevelDatabase(join(directory, recorded.storage.directory));
	return sizeOf(directory);
}

const middle = (values: readonly number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** A recorded transaction with the number of its block. */
interface Placed {
	readonly transaction: SignedTransaction;
	readonly number: bigint;
}

function placedOf({ chain }: OpenChain): Placed[] {
	const placed: Placed[] = [];
	for (let number = 1n; number <= chain.head.number; number++) {
		for (const transaction of chain.blockByNumber(number)?.transactions ?? [])
			placed.push({ transaction, number });
	}
	return placed;
}

/** Median time in microseconds. */
function times(placed: readonly Placed[], work: (one: Placed) => void): number {
	const all = placed.map((one) => {
		const started = performance.now();
		work(one);
		return (performance.now() - started) * 1000;
	});
	return middle(all);
}

const everyNth = (placed: readonly Placed[]): Placed[] => {
	const step = Math.max(1, Math.floor(placed.length / READS));
	return placed.filter((_, at) => at % step === 0);
};

function call(view: StateView, chain: OpenChain, { transaction, number }: Placed): void {
	const block = chain.chain.blockByNumber(number);
	if (!block) throw new Error(`block ${number} is missing`);
	const forks = new ForkGates(view, chain.rules);
	const { timestampMs, witness } = block;
	try {
		machine.call({ state: view, rules: chain.rules, forks }, transaction, {
			block: { number, timestampMs, witness },
			energyLimit: 100_000_000n,
		});
	} catch {
		// A failed call is measured like any other.
	}
}

function reading(chain: OpenChain): object {
	const placed = placedOf(chain);
	const before = ({ number }: Placed): StateView => {
		const view = chain.stateAt(number - 1n);
		if (!view) throw new Error(`the state of block ${number - 1n} is missing`);
		return view;
	};
	const head = chain.stateAt(chain.chain.head.number) as StateView;
	const accounts = everyNth(placed);
	const calls = everyNth(
		placed.filter(({ transaction }) => transaction.type?.name === "TriggerSmartContract"),
	);
	const read = (view: StateView, { transaction }: Placed): void => void view.account.get(transaction.owner);
	// Warms up compiled code, and caches the head's entries as on a running node.
	for (const one of calls) call(head, chain, one);
	return {
		readAtHeadUs: round(times(accounts, (one) => read(head, one))),
		readAtBlockUs: round(times(accounts, (one) => read(before(one), one))),
		calls: calls.length,
		callAtHeadUs: round(times(calls, (one) => call(head, chain, one))),
		callAtBlockUs: round(times(calls, (one) => call(before(one), chain, one))),
		againAtBlockUs: round(times(calls, (one) => call(before(one), chain, one))),
	};
}

const round = (value: number): number => Math.round(value * 100) / 100;

const root = mkdtempSync(join(tmpdir(), "coin-bench-history-"));
try {
	const results: { readonly off: Imported; readonly on: Imported }[] = [];
	const directories = ["off", "on"].map((each) => join(root, each)) as [string, string];
	for (let n = 0; n < Number(roundsText); n++) {
		for (const directory of directories) rmSync(directory, { recursive: true, force: true });
		const off = await importSet(directories[0], false);
		results.push({ off, on: await importSet(directories[1], true) });
	}
	const chain = await open(directories[1], true);
	const found = reading(chain);
	await chain.close();
	const [offBytes, onBytes] = [await compactedSize(directories[0]), await compactedSize(directories[1])];
	const { blockBytes } = results[0]?.on ?? { blockBytes: 1 };
	const report = {
		set: name,
		offMs: round(middle(results.map(({ off }) => off.ms))),
		onMs: round(middle(results.map(({ on }) => on.ms))),
		speed: round(middle(results.map(({ off, on }) => off.ms / on.ms))),
		processorSpeed: round(middle(results.map(({ off, on }) => off.cpuMs / on.cpuMs))),
		blockMB: round(blockBytes / 1e6),
		historyMB: round((onBytes - offBytes) / 1e6),
		historyPerBlockByte: round((onBytes - offBytes) / blockBytes),
		...found,
	};
	process.stdout.write(`${JSON.stringify(report)}\n`);
} finally {
	await pool.close();
	rmSync(root, { recursive: true, force: true });
}
