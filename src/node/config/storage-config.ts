/** `storage.*` (protocol/configuration §1.3). */

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
	/** Of all caches of the state and of old blocks together. */
	readonly cacheBytes: number;
}

/** Reads `storage`, which must exist. @throws {ConfigError} */
export function readStorage(settings: Settings, warn: (text: string) => void): StorageConfig {
	// The network's own node demands the section; a file of a development chain has nothing to say there.
	if (!settings.get("dev.enabled")) settings.requireGroup("storage");
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
