/**
 * Cost of the history index (`node.history.index`): import with and without it, disk usage, pages of rows.
 *
 * npm run tool bench:index -- [folder of a recorded set] [rounds] [rows of the large store] [--database
 * postgres://…]
 *
 * With a database, it uses schemas of its own, which are dropped at the end.
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { StoredBodies } from "../src/node/api/history/stored-bodies.js";
import { readBlockFile } from "../src/node/chain/block-file.js";
import { importBlocks } from "../src/node/chain/importer.js";
import { OpenChain } from "../src/node/chain/open-chain.js";
import type { NodeConfig } from "../src/node/config/config.js";
import { createContractMachine } from "../src/node/contract-runner.js";
import {
	type HistoryStore,
	historyDirectory,
	openHistoryStore,
	ROWS_VERSION,
} from "../src/node/history/history-store.js";
import { type PageQuery, readPage } from "../src/node/history/pages.js";
import { PostgresqlStore } from "../src/node/history/postgresql/postgresql-store.js";
import { RecentRows } from "../src/node/history/recent-rows.js";
import {
	type HistoryRow,
	placeSuffix,
	readPlace,
	readPointer,
	tokenValue,
} from "../src/node/history/rows.js";
import { openHistory } from "../src/node/node-history.js";
import { Client } from "../src/node/postgresql/driver.js";
import { loadShieldedSupport } from "../src/node/shielded-support.js";
import { installRecoverEngine } from "../src/node/signatures/engine.js";
import { SignaturePool, workerScript } from "../src/node/signatures/pool.js";
import { toKey } from "../src/protocol/bytes.js";
import { useFastHashing } from "../src/protocol/hash.js";
import { DEFAULT_SET } from "./recorded/default-set.js";
import { recordedConfig } from "./recorded/recorded-config.js";

const PAGE_ROWS = 200;
const PAGES = 300;
/** Accounts of the large store; the first has a tenth of all rows. */
const ACCOUNTS = 1_000;

const { values: flags, positionals } = parseArgs({
	allowPositionals: true,
	options: { database: { type: "string" } },
});
const [folder = DEFAULT_SET, roundsText = "3", rowsText = "1000000"] = positionals;
const name = basename(folder);
const script = workerScript();
if (!script) throw new Error("run this from the bundle: npm run tool bench:index");
installRecoverEngine();
await useFastHashing();
const pool = await SignaturePool.start(script, 1);
const config = recordedConfig(folder);
const machine = createContractMachine(config, false);
const shielded = await loadShieldedSupport(config, false);
const log = { info: () => {}, warn: () => {}, error: () => {} };
/** Configuration of an import with its history in a database schema, or on disk. */
function configFor(schema: string): NodeConfig {
	const { database: url } = flags;
	if (url === undefined) return config;
	const history = { ...config.node.history, database: { url, passwordFile: undefined, schema } };
	return { ...config, node: { ...config.node, history } };
}
const SCHEMAS = { import: "coin_bench_import", large: "coin_bench_large" } as const;

/** Drops the tables of a previous round. */
async function dropSchema(schema: string): Promise<void> {
	if (flags.database === undefined) return;
	const client = new Client({ connectionString: flags.database });
	await client.connect();
	await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
	await client.end();
}

const report = (error: unknown): never => {
	throw error;
};

function open(directory: string): Promise<OpenChain> {
	return OpenChain.open({
		config,
		dataDirectory: directory,
		clock: () => BigInt(Date.now()),
		shielded,
		machine: machine.run,
		guess: (transaction) => machine.guesses.of(transaction),
		onStorageFailure: report,
	});
}

interface Imported {
	readonly ms: number;
	readonly cpuMs: number;
	readonly transactions: number;
}

async function importSet(directory: string, isIndexed: boolean): Promise<Imported> {
	const chain = await open(directory);
	const history = isIndexed
		? await openHistory({
				open: chain,
				config: configFor(SCHEMAS.import),
				dataDirectory: directory,
				log,
				report,
			})
		: undefined;
	const cpu = process.cpuUsage();
	const started = performance.now();
	const total = await importBlocks({ open: chain, pool }, readBlockFile(join(folder, `${name}.ndjson.br`)));
	await history?.close();
	await chain.close();
	const ms = performance.now() - started;
	const used = process.cpuUsage(cpu);
	return { ms, cpuMs: (used.user + used.system) / 1000, transactions: total?.transactions ?? 0 };
}

const sizeOf = (directory: string): number =>
	readdirSync(directory, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

const middle = (values: readonly number[]): number => part(values, 0.5);
const part = (values: readonly number[], share: number): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
const round = (value: number): number => Math.round(value * 100) / 100;

/** Milliseconds per page of an imported set: rows only, and with transaction bodies. */
async function readingSet(directory: string): Promise<object> {
	const chain = await open(directory);
	const { index, close } = await openHistory({
		open: chain,
		config: configFor(SCHEMAS.import),
		dataDirectory: directory,
		log,
		report,
	});
	const owners = new Map<string, number>();
	for (let number = 1n; number <= chain.chain.head.number; number++) {
		for (const { owner } of chain.chain.blockByNumber(number)?.transactions ?? []) {
			const key = toKey(owner.subarray(1));
			owners.set(key, (owners.get(key) ?? 0) + 1);
		}
	}
	const busiest = [...owners].sort((a, b) => b[1] - a[1]).slice(0, 50);
	const [rowsMs, bodiesMs]: [number[], number[]] = [[], []];
	for (let n = 0; n < PAGES; n++) {
		const [owner = "", count = 0] = busiest[n % busiest.length] ?? [];
		if (count < PAGE_ROWS && busiest.some(([, other]) => other >= PAGE_ROWS)) continue;
		const started = performance.now();
		const { rows } = await index.page({
			lists: [{ kind: "transaction", owner }],
			from: 0,
			to: Number(chain.chain.head.number) - (n % 5),
			descending: n % 2 === 0,
			limit: PAGE_ROWS,
		});
		rowsMs.push(performance.now() - started);
		const bodies = new StoredBodies(() => chain.chain.state);
		for (const row of rows) bodies.at(readPlace(row.suffix), readPointer(row.value).mark);
		bodiesMs.push(performance.now() - started);
	}
	await close();
	await chain.close();
	return {
		pageOfRowsMs: round(middle(rowsMs)),
		pageWithBodiesMs: round(middle(bodiesMs)),
		slowestPageWithBodiesMs: round(part(bodiesMs, 0.99)),
	};
}

const ownerOf = (n: number): string => toKey(Buffer.from(n.toString(16).padStart(40, "0"), "hex"));

/** Fills a store as a chain would: ascending heights, many accounts. */
async function fill(store: HistoryStore, count: number): Promise<void> {
	const value = tokenValue(
		{
			directions: 1,
			type: "Transfer",
			timeMs: 1_700_000_000_000,
			transactionId: Buffer.alloc(32, 7),
			contract: Buffer.alloc(20, 1),
			from: Buffer.alloc(20, 2),
			to: Buffer.alloc(20, 3),
		},
		Buffer.alloc(32, 1),
	);
	let batch: HistoryRow[] = [];
	for (let n = 0; n < count; n++) {
		const owner = ownerOf(n % 10 === 0 ? 0 : n % ACCOUNTS);
		const suffix = placeSuffix(Math.floor(n / 300), n % 300, 0);
		const own = Buffer.from(value);
		own.writeUInt32BE(n, 8);
		own.writeUInt32BE(Math.imul(n, 2_654_435_761) >>> 0, 12);
		batch.push({ kind: "token", owner, suffix, value: own });
		if (batch.length < 4_000 && n < count - 1) continue;
		await store.write(batch, [], { version: ROWS_VERSION, ranges: [] });
		batch = [];
	}
}

/** The large store, on disk or in the database. */
async function openLarge(directory: string): Promise<HistoryStore> {
	const { database: address } = configFor(SCHEMAS.large).node.history;
	if (!address) return openHistoryStore(directory);
	await dropSchema(SCHEMAS.large);
	const genesis = Buffer.alloc(32);
	const store = await PostgresqlStore.create({ address, genesis, readOnly: false, isDisposable: true });
	await store.position();
	return store;
}

async function readingLarge(directory: string, count: number): Promise<object> {
	const store = await openLarge(directory);
	const started = performance.now();
	await fill(store, count);
	const fillSeconds = (performance.now() - started) / 1000;
	const recent = new RecentRows();
	const times: number[] = [];
	const top = Math.floor(count / 300);
	for (let n = 0; n < PAGES; n++) {
		const query: PageQuery = {
			lists: [{ kind: "token", owner: ownerOf(n % 3 === 0 ? 0 : (n * 7) % ACCOUNTS) }],
			from: 0,
			to: Math.floor((top * ((n * 37) % 100)) / 100) + 1,
			descending: n % 2 === 0,
			limit: PAGE_ROWS,
		};
		const begun = performance.now();
		await readPage({ store, storedTo: top, recent }, query);
		times.push(performance.now() - begun);
	}
	await store.position();
	const bytes = flags.database === undefined ? undefined : store.bytes;
	await store.close();
	return {
		rows: count,
		fillRowsPerSecond: Math.round(count / fillSeconds),
		pageMs: round(middle(times)),
		slowestPageMs: round(part(times, 0.99)),
		bytesPerRow: round((bytes ?? sizeOf(directory)) / count),
	};
}

const root = mkdtempSync(join(tmpdir(), "coin-bench-index-"));
try {
	const results: { readonly off: Imported; readonly on: Imported }[] = [];
	const directories = ["off", "on"].map((each) => join(root, each)) as [string, string];
	for (let n = 0; n < Number(roundsText); n++) {
		for (const directory of directories) rmSync(directory, { recursive: true, force: true });
		await dropSchema(SCHEMAS.import);
		const off = await importSet(directories[0], false);
		results.push({ off, on: await importSet(directories[1], true) });
	}
	const found = results.length > 0 ? await readingSet(directories[1]) : {};
	const transactions = results[0]?.on.transactions ?? 0;
	const isBeside = results.length > 0 && flags.database === undefined;
	const indexBytes = isBeside ? sizeOf(historyDirectory(directories[1])) : 0;
	const result = {
		set: name,
		transactions,
		offMs: round(middle(results.map(({ off }) => off.ms))),
		onMs: round(middle(results.map(({ on }) => on.ms))),
		speed: round(middle(results.map(({ off, on }) => off.ms / on.ms))),
		processorSpeed: round(middle(results.map(({ off, on }) => off.cpuMs / on.cpuMs))),
		indexBytesPerTransaction: round(indexBytes / transactions),
		...found,
		large: await readingLarge(join(root, "large"), Number(rowsText)),
	};
	process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
	for (const schema of Object.values(SCHEMAS)) await dropSchema(schema);
	await pool.close();
	rmSync(root, { recursive: true, force: true });
}
