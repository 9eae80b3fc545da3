/**
 * Adoption of a reference node's data: entries per second, and memory usage meanwhile.
 *
 * npm run tool bench:adoption -- [entries] [folder]
 *
 * Adds entries (default: 10^6) to a recorded directory: accounts, votes and contract storage, written by
 * LevelDB. The data set is created once and kept in the folder (default: the user's cache).
 */

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { Level } from "level";
import { adopt, judgeSource } from "../src/node/adoption/adoption.js";
import { openForeignStore } from "../src/node/adoption/engine/foreign-store.js";
import { openSourceDirectory } from "../src/node/adoption/source-directory.js";
import { openDataDirectory } from "../src/node/chain/data-directory.js";
import { loadConfig } from "../src/node/config/config.js";
import { setAddressPrefix } from "../src/protocol/address.js";
import { useFastHashing } from "../src/protocol/hash.js";
import { Account, Vote, Votes } from "../src/protocol/messages.js";
import { unpack } from "../test/soak/golden-directory.js";
import { random } from "./chance/random.js";

const RECORDED = "test/golden/reference-directory";
const BATCH = 1_000;
const QUARTERS = 4;

const count = Number(process.argv[2] ?? 1_000_000);
const folder =
	process.argv[3] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "coin-bench");
const next = random(16);

function bytes(length: number): Buffer {
	const made = Buffer.alloc(length);
	for (let at = 0; at < length; at++) made[at] = next(256);
	return made;
}

/** An address that no recorded account has. */
function address(): Buffer {
	const made = bytes(21);
	made[0] = 0x41;
	return made;
}

function account(owner: Uint8Array): Uint8Array {
	const balance = BigInt(next(2 ** 31)) * 1_000n;
	const votes = next(3) === 0 ? [Vote.create({ vote_address: owner, vote_count: 7n })] : [];
	return Account.encode(
		Account.create({
			address: owner,
			balance,
			create_time: 1_600_000_000_000n,
			latest_opration_time: 1_700_000_000_000n,
			net_usage: BigInt(next(5_000)),
			votes,
		}),
	);
}

/** Main parts of a network's state, as shares of all entries. */
const MADE: readonly {
	readonly store: string;
	readonly share: number;
	readonly entry: () => [Buffer, Uint8Array];
}[] = [
	{
		store: "account",
		share: 0.4,
		entry: () => {
			const owner = address();
			return [owner, account(owner)];
		},
	},
	{ store: "storage-row", share: 0.5, entry: () => [bytes(32), bytes(32)] },
	{
		store: "votes",
		share: 0.1,
		entry: () => {
			const owner = address();
			return [owner, Votes.encode(Votes.create({ address: owner }))];
		},
	},
];

async function make(directory: string): Promise<void> {
	const partial = `${directory}.partial`;
	rmSync(partial, { recursive: true, force: true });
	mkdirSync(partial, { recursive: true });
	unpack(join(RECORDED, "database.tar.br"), partial);
	for (const { store, share, entry } of MADE) {
		const db = new Level<Uint8Array, Uint8Array>(join(partial, "output-directory", "database", store), {
			keyEncoding: "view",
			valueEncoding: "view",
		});
		await db.open();
		for (let left = Math.round(count * share); left > 0; left -= BATCH) {
			const rows = Array.from({ length: Math.min(BATCH, left) }, entry);
			await db.batch(rows.map(([key, value]) => ({ type: "put" as const, key, value })));
		}
		await db.close();
	}
	renameSync(partial, directory);
}

const mib = (size: number): string => `${Math.round(size / 2 ** 20)} MiB`;

const data = join(folder, `adoption-${count}`);
if (!existsSync(data)) await make(data);
const config = loadConfig(join(RECORDED, "level-era-early.conf"));
setAddressPrefix(config.net.addressPrefix);
await useFastHashing();
const target = mkdtempSync(join(tmpdir(), "coin-bench-"));
try {
	const started = performance.now();
	const judged = await judgeSource(openSourceDirectory(data, openForeignStore), config);
	const judging = performance.now() - started;
	const database = await openDataDirectory(target, "database");
	const cpu = process.cpuUsage();
	const memory: string[] = [];
	let copied = 0;
	const onProgress = (progress: { readonly phase: string; readonly entries?: number }): boolean => {
		if (progress.phase === "copy") copied = performance.now();
		const due = ((memory.length + 1) / QUARTERS) * count;
		if ((progress.entries ?? 0) >= due && memory.length < QUARTERS - 1)
			memory.push(mib(process.memoryUsage().rss));
		return true;
	};
	const begun = performance.now();
	const adopted = await adopt(judged, database, "data", { config, blocks: "copy", onProgress });
	await database.close();
	memory.push(mib(process.memoryUsage().rss));
	const seconds = (copied - begun) / 1000;
	const used = process.cpuUsage(cpu);
	const entries = adopted?.entries ?? 0;
	console.log(
		`${entries} entries of ${mib(adopted?.bytes ?? 0)}: judged in ${Math.round(judging)} ms, copied in ${seconds.toFixed(1)} s; ` +
			`${Math.round(entries / seconds)} a second, ${((used.user + used.system) / 1e6 / seconds).toFixed(2)} cores`,
	);
	console.log(
		`memory at each quarter: ${memory.join(", ")}; at most ${mib(process.resourceUsage().maxRSS * 1024)}`,
	);
} finally {
	rmSync(target, { recursive: true, force: true });
}
