/** Operations on a data directory that no node has open: inspecting, verifying, copying (protocol/command-line §7). */

import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { propertySeed } from "../node/chain/configured-rules.js";
import {
	type DirectoryMeta,
	logDirectory,
	openDataDirectory,
	readMeta,
	refuseOthersData,
} from "../node/chain/data-directory.js";
import { defaultConfig } from "../node/config/config.js";
import { historyDirectory } from "../node/history/history-store.js";
import { segmentsDirectory } from "../node/segments/segments.js";
import { settleAccountAssets } from "../node/state/asset-layout.js";
import {
	type BatchChange,
	compactLevelDatabase,
	type KeyValueDatabase,
	openLevelDatabase,
} from "../node/state/database.js";
import { StateDatabase } from "../node/state/state-database.js";
import { createView } from "../node/state/view.js";
import { equalBytes } from "../protocol/bytes.js";
import { Failure } from "../wallet/failure.js";
import { type ConfigSource, hasConfig, readConfig } from "./config-source.js";
import type { OfflineChain } from "./offline-chain.js";
import { withStartFailures } from "./run-node.js";

const BATCH_BYTES = 4 << 20;

/**
 * Path of a data directory's database.
 * @param source configuration with the subdirectory's name, if it exists
 * @throws {Failure} `not_found` for a directory without a database, `start_failed` for root in another user's
 */
export async function databaseDirectory(source: ConfigSource, dataDirectory: string): Promise<string> {
	const { storage } = hasConfig(source) ? await readConfig(source) : defaultConfig();
	const path = join(dataDirectory, storage.directory);
	if (!existsSync(path)) throw new Failure("not_found", `there is no database ${path}`);
	await withStartFailures(async () => refuseOthersData(dataDirectory, path));
	return path;
}

/** Size in bytes of all files below a directory; 0 if it doesn't exist. */
export function directorySize(directory: string): number {
	if (!existsSync(directory)) return 0;
	return readdirSync(directory, { recursive: true, encoding: "utf8" })
		.map((name) => statSync(join(directory, name), { throwIfNoEntry: false }))
		.reduce((sum, file) => sum + (file?.isFile() ? file.size : 0), 0);
}

/** Sizes in bytes of the parts of a data directory. */
export function partSizes(
	dataDirectory: string,
	database: string,
): { databaseBytes: number; journalBytes: number; segmentBytes: number; historyBytes: number } {
	return {
		databaseBytes: directorySize(database),
		journalBytes: directorySize(logDirectory(dataDirectory)),
		segmentBytes: directorySize(segmentsDirectory(dataDirectory)),
		historyBytes: directorySize(historyDirectory(dataDirectory)),
	};
}

/**
 * Opens the database of a data directory for an operation.
 * @param name subdirectory of the database
 * @throws {Failure} `not_found` if it is empty, `start_failed` if it is in use or not this program's
 */
export function withDatabase<T>(
	dataDirectory: string,
	name: string,
	work: (database: KeyValueDatabase, meta: DirectoryMeta) => Promise<T>,
): Promise<T> {
	return withStartFailures(async () => {
		const database = await openDataDirectory(dataDirectory, name);
		try {
			const meta = await readMeta(database, dataDirectory);
			if (!meta) throw new Failure("not_found", `the database in ${join(dataDirectory, name)} is empty`);
			return await work(database, meta);
		} finally {
			await database.close();
		}
	});
}

/** What the database itself contains, without applying the chain's rules: blocks up to the last irreversible one. */
interface StoredChain {
	readonly genesisId: Uint8Array;
	readonly number: bigint;
	readonly id: Uint8Array;
	readonly timestampMs: bigint;
}

/** @throws {Failure} `not_found` for an empty database, `start_failed` if it is in use or not this program's */
export async function readStoredChain(dataDirectory: string, database: string): Promise<StoredChain> {
	return withDatabase(dataDirectory, relative(dataDirectory, database), async (storage, { genesisId }) => {
		const state = await StateDatabase.open(storage, settleAccountAssets);
		const { properties } = createView(state.baseBackend, propertySeed(defaultConfig()));
		const { headNumber: number, headId: id, headTimestampMs: timestampMs } = properties;
		return { genesisId, number, id, timestampMs };
	});
}

/** @throws {Failure} `start_failed` if the directory is in use */
export async function compactDatabase(database: string): Promise<void> {
	await withStartFailures(() => compactLevelDatabase(database));
}

/**
 * Verifies all stored blocks from the lowest to the head: each exists, follows the previous one, and contains the transactions
 * that its header commits to.
 * @param onBlock called with each; returns false to stop
 * @throws {Failure} `start_failed` with the number of the first invalid block
 */
export function verifyBlocks(
	chain: OfflineChain,
	onBlock: (number: bigint, head: bigint, transactions: number) => boolean,
): void {
	const { chain: blocks } = chain.open;
	const head = blocks.head.number;
	const lowest = chain.open.lowestNumber;
	const first = lowest > 1n ? lowest : 1n;
	let parent = first === 1n ? blocks.blockByNumber(0n)?.id : blocks.blockByNumber(first)?.raw.parentHash;
	for (let number = first; number <= head; number++) {
		const block = blocks.blockByNumber(number);
		if (!block) throw damaged(`block ${number} is missing`);
		if (block.number !== number) throw damaged(`block ${block.number} stands in the place of ${number}`);
		if (!parent || !equalBytes(block.raw.parentHash, parent)) {
			throw damaged(`block ${number} doesn't follow block ${number - 1n}`);
		}
		if (!equalBytes(block.computeMerkleRoot(), block.raw.txTrieRoot)) {
			throw damaged(`the transactions of block ${number} aren't those of its header`);
		}
		parent = block.id;
		if (!onBlock(number, head, block.transactions.length)) return;
	}
}

function damaged(what: string): Failure {
	return new Failure("start_failed", `the database is damaged: ${what}`);
}

/**
 * Copies a data directory entry by entry, while no other process can open it; the copy appears atomically when complete.
 * @param name subdirectory of the database
 * @param onEntries called with the number of entries copied; returns false to cancel and remove the copy
 * @returns entries copied; undefined if cancelled
 * @throws {Failure} `bad_value` if the target exists; `start_failed` if the source is in use
 */
export async function copyDirectory(
	source: string,
	name: string,
	target: string,
	onEntries: (entries: number) => boolean,
): Promise<number | undefined> {
	if (existsSync(target)) throw new Failure("bad_value", `${target} exists already and is never overwritten`);
	const partial = `${target}.partial`;
	rmSync(partial, { recursive: true, force: true });
	return withStartFailures(async () => {
		const database = await openDataDirectory(source, name);
		try {
			const path = join(source, name);
			if (!(await readMeta(database, path)))
				throw new Failure("not_found", `the database in ${path} is empty`);
			cpSync(source, partial, { recursive: true, filter: (file) => file !== path });
			const copy = await openDataDirectory(partial, name);
			let entries = 0;
			let batch: BatchChange[] = [];
			let bytes = 0;
			try {
				for await (const [key, value] of database.entries(new Uint8Array(0))) {
					batch.push({ key, value });
					bytes += key.length + value.length;
					entries++;
					if (bytes < BATCH_BYTES) continue;
					await copy.write(batch, false);
					[batch, bytes] = [[], 0];
					if (!onEntries(entries)) return undefined;
				}
				await copy.write(batch, true);
			} finally {
				await copy.close();
			}
			renameSync(partial, target);
			return entries;
		} finally {
			await database.close();
			rmSync(partial, { recursive: true, force: true });
		}
	});
}

/** Reads every entry once. @returns their number and bytes. @throws {Failure} `start_failed` */
export async function readAllEntries(database: string): Promise<{ entries: number; bytes: number }> {
	return withStartFailures(async () => {
		const opened = await openLevelDatabase(database);
		let [entries, bytes] = [0, 0];
		try {
			for await (const [key, value] of opened.entries(new Uint8Array(0))) {
				entries++;
				bytes += key.length + value.length;
			}
		} catch (error) {
			throw damaged((error as Error).message);
		} finally {
			await opened.close();
		}
		return { entries, bytes };
	});
}
