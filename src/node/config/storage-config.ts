/** `storage.*` (protocol/configuration §1.3). */

import { fromHex } from "../../protocol/bytes.js";
import type { Section } from "./section.js";
import type { StartOptions } from "./start-options.js";

export interface StorageConfig {
	/** LevelDB in either case; ROCKSDB is accepted and warned about. */
	readonly engine: "LEVELDB" | "ROCKSDB";
	/** Sub-directory of the data directory. */
	readonly directory: string;
	/** Whether a flush waits for the disk. */
	readonly sync: boolean;
	/** Whether receipts are kept. */
	readonly transactionHistory: boolean;
	readonly needToUpdateAsset: boolean;
	readonly checkpointVersion: 1 | 2;
	readonly checkpointSync: boolean;
	/** Blocks merged per flush, 1 to 500. */
	readonly maxFlushCount: number;
	/** Transactions a block, an estimate for the duplicate filters: 100 to 10000. */
	readonly estimatedTransactions: number;
	readonly cacheInitOptimization: boolean;
	/** Whether balance traces are recorded. */
	readonly balanceHistory: boolean;
	/** Entries each read cache may hold, by cache name. */
	readonly cacheSizes: Readonly<Record<CacheName, number>>;
	/** Expected root of each derived database. */
	readonly merkleRoots: Readonly<Record<string, Uint8Array>>;
	/** Options of the one database that holds all stores. */
	readonly level: LevelOptions;
}

export interface LevelOptions {
	readonly createIfMissing: boolean;
	readonly blockSize: number;
	readonly writeBufferSize: number;
	readonly cacheSize: number;
	readonly maxOpenFiles: number;
}

const CACHE_SIZES = {
	recentBlock: 100,
	witness: 100,
	witnessSchedule: 100,
	delegatedResource: 100,
	delegatedResourceAccountIndex: 100,
	votes: 100,
	abi: 100,
	code: 500,
	contract: 500,
	assetIssueV2: 500,
	properties: 500,
	delegation: 10_000,
	storageRow: 20_000,
	account: 20_000,
	witnessStandby: 1000,
} as const;

export type CacheName = keyof typeof CACHE_SIZES;

const REWARD_ROOT = "9debcb9924055500aaae98cdee10501c5c39d4daa75800a996f4bdda73dbccd8";

const MIB = 1 << 20;

/** Reads `storage`, which must exist. @throws {ConfigError} */
export function readStorage(
	root: Section,
	options: StartOptions,
	warn: (text: string) => void,
): StorageConfig {
	const storage = root.requiredSection("storage");
	const checkpointVersion = storage.intWithin("checkpoint.version", 1, 1, 2);
	const historySwitch = options.storageTransactionHistorySwitch || storage.text("transHistory.switch", "on");
	return {
		engine: readEngine(storage, options, warn),
		directory: options.storageDbDirectory || storage.text("db.directory", "database"),
		sync: options.storageDbSynchronous
			? options.storageDbSynchronous === "true"
			: storage.boolean("db.sync", false),
		transactionHistory: historySwitch.toLowerCase() === "on",
		needToUpdateAsset: storage.boolean("needToUpdateAsset", true),
		checkpointVersion: checkpointVersion === 2 ? 2 : 1,
		checkpointSync: storage.boolean("checkpoint.sync", true),
		maxFlushCount: storage.intWithin("snapshot.maxFlushCount", 1, 1, 500),
		estimatedTransactions: Math.min(
			10_000,
			Math.max(100, storage.int("txCache.estimatedTransactions", 1000)),
		),
		cacheInitOptimization: storage.boolean("txCache.initOptimization", false),
		balanceHistory: storage.boolean("balance.history.lookup", false),
		cacheSizes: readCacheSizes(storage),
		merkleRoots: readMerkleRoots(storage),
		level: readLevelOptions(storage.section("default")),
	};
}

function readEngine(
	storage: Section,
	options: StartOptions,
	warn: (text: string) => void,
): "LEVELDB" | "ROCKSDB" {
	const name = options.storageDbEngine || storage.text("db.engine", "LEVELDB");
	const engine = name.toUpperCase();
	if (engine !== "LEVELDB" && engine !== "ROCKSDB") {
		throw storage.refuse("db.engine", `must be LEVELDB or ROCKSDB, not "${name}"`);
	}
	if (engine === "ROCKSDB") warn("storage.db.engine = ROCKSDB: the state is kept in LevelDB all the same");
	return engine;
}

/** Each strategy is a text such as `initialCapacity=1000,maximumSize=1000,expireAfterAccess=30s`. */
function readCacheSizes(storage: Section): Readonly<Record<CacheName, number>> {
	const sizes: Record<CacheName, number> = { ...CACHE_SIZES };
	const strategies = storage.section("cache.strategies");
	for (const name of strategies.names()) {
		if (!(name in CACHE_SIZES)) throw strategies.refuse(name, "is no cache of this node");
		const maximum = /(?:^|,)\s*maximumSize\s*=\s*(\d+)/.exec(strategies.text(name, ""))?.[1];
		if (maximum !== undefined) sizes[name as CacheName] = Number(maximum);
	}
	return sizes;
}

function readMerkleRoots(storage: Section): Readonly<Record<string, Uint8Array>> {
	const section = storage.section("merkleRoot");
	const roots: Record<string, Uint8Array> = { "reward-vi": fromHex(REWARD_ROOT) };
	for (const name of section.names()) {
		const text = section.requiredText(name);
		if (!/^[0-9a-fA-F]{64}$/.test(text)) {
			throw section.refuse(name, `must be a hash of 64 hexadecimal digits, not "${text}"`);
		}
		roots[name] = fromHex(text);
	}
	return roots;
}

function readLevelOptions(options: Section): LevelOptions {
	const positive = (key: string, absent: number) => {
		const value = options.int(key, absent);
		if (value < 1) throw options.refuse(key, `must be 1 or more, not ${value}`);
		return value;
	};
	return {
		createIfMissing: options.boolean("createIfMissing", true),
		blockSize: positive("blockSize", 4096),
		writeBufferSize: positive("writeBufferSize", 16 * MIB),
		cacheSize: positive("cacheSize", 32 * MIB),
		maxOpenFiles: positive("maxOpenFiles", 100),
	};
}
