/** Storage settings: `storage.*` (protocol/configuration §1.3), and `node.history`, which is ours. */

import { type DatabaseAddress, SCHEMA, WRONG_SCHEMA, wrongDatabaseUrl } from "../postgresql/address.js";
import { MIN_CACHE_BYTES } from "../state/cache-budget.js";
import type { Settings } from "./settings.js";

/** More than any machine has. */
const MAX_CACHE_BYTES = 1n << 40n;

export interface StorageConfig {
	/** Sub-directory of the data directory. */
	readonly directory: string;
	/** Whether a flush waits for the disk. */
	readonly sync: boolean;
	/** Whether receipts are kept. */
	readonly transactionHistory: boolean;
	readonly needToUpdateAsset: boolean;
	/** Whether balance traces are recorded. */
	readonly balanceHistory: boolean;
	/** Total of all caches of the state and of old blocks. */
	readonly cacheBytes: number;
}

/** The network's own node requires the section; development chains don't. @throws {ConfigError} */
export function requireStorage(settings: Settings): void {
	if (!settings.get("dev.enabled")) settings.requireGroup("storage");
}

/** Reads `storage`. @throws {ConfigError} */
export function readStorage(settings: Settings, warn: (text: string) => void): StorageConfig {
	checkEngine(settings, warn);
	return {
		directory: settings.get("storage.db.directory"),
		sync: settings.get("storage.db.sync"),
		transactionHistory: settings.get("storage.transHistory.switch").toLowerCase() === "on",
		needToUpdateAsset: settings.get("storage.needToUpdateAsset"),
		balanceHistory: settings.get("storage.balance.history.lookup"),
		cacheBytes: readCacheBytes(settings),
	};
}

function readCacheBytes(settings: Settings): number {
	const bytes = settings.get("storage.cacheBytes");
	if (bytes < MIN_CACHE_BYTES || bytes > MAX_CACHE_BYTES) {
		throw settings.refuse(
			"storage.cacheBytes",
			`must be ${MIN_CACHE_BYTES} to ${MAX_CACHE_BYTES}, not ${bytes}`,
		);
	}
	return Number(bytes);
}

function checkEngine(settings: Settings, warn: (text: string) => void): void {
	const name = settings.get("storage.db.engine");
	const engine = name.toUpperCase();
	if (engine !== "LEVELDB" && engine !== "ROCKSDB") {
		throw settings.refuse("storage.db.engine", `must be LEVELDB or ROCKSDB, not "${name}"`);
	}
	const source = settings.isFlag("storage.db.engine") ? "--storage-db-engine" : "storage.db.engine";
	if (engine === "ROCKSDB") warn(`${source} = ROCKSDB: the state is kept in LevelDB all the same`);
}

/** `node.history`: which past data is kept. */
export interface HistoryConfig {
	/** Number of final blocks whose state can be read; Infinity: all; 0: only the newest. */
	readonly stateBlocks: number;
	/** Whether history is indexed by account and contract; undefined: only on development chains. */
	readonly index: boolean | undefined;
	/** Database of the index rows; undefined: the data directory. */
	readonly database: DatabaseAddress | undefined;
	/** Another node writes them. */
	readonly readOnly: boolean;
}

/** @throws {ConfigError} */
export function readHistory(settings: Settings): HistoryConfig {
	const stateBlocks = readStateBlocks(settings);
	const database = readDatabase(settings);
	const readOnly = settings.get("node.history.readOnly");
	if (readOnly && !database) {
		throw settings.refuse(
			"node.history.readOnly",
			"needs node.history.database: it is for a database that another node writes",
		);
	}
	const index = readIndexSwitch(settings) ?? (database ? true : undefined);
	return { stateBlocks, index, database, readOnly };
}

function readStateBlocks(settings: Settings): number {
	const text = settings.get("node.history.state");
	if (text === "off") return 0;
	if (text === "all") return Number.POSITIVE_INFINITY;
	const blocks = /^\d{1,15}$/.test(text) ? Number(text) : 0;
	if (blocks < 1) {
		throw settings.refuse("node.history.state", `must be off, all, or a number from 1, not "${text}"`);
	}
	return blocks;
}

function readIndexSwitch(settings: Settings): boolean | undefined {
	const text = settings.get("node.history.index");
	if (text === undefined || text === "on" || text === "off")
		return text === undefined ? undefined : text === "on";
	throw settings.refuse("node.history.index", `must be on or off, not "${text}"`);
}

function readDatabase(settings: Settings): DatabaseAddress | undefined {
	const url = settings.get("node.history.database");
	const passwordFile = settings.get("node.history.passwordFile");
	const schema = settings.get("node.history.schema");
	if (url === undefined) return undefined;
	const wrongUrl = wrongDatabaseUrl(url);
	if (wrongUrl) throw settings.refuse("node.history.database", wrongUrl);
	if (!SCHEMA.test(schema)) throw settings.refuse("node.history.schema", WRONG_SCHEMA);
	return { url, passwordFile, schema };
}
