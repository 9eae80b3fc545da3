/**
 * A node's configuration: one HOCON file, unchanged from what other nodes of the network read, as one typed value
 * (protocol/configuration §1). Keys are accepted in both spellings of the brand words; unknown keys are ignored; a wrong type or
 * range stops the start with one sentence.
 */

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { MAIN_PREFIX, TEST_PREFIX } from "../../protocol/address.js";
import { type Dialect, toNeutral } from "../../protocol/dialect.js";
import { type CommitteeConfig, readCommittee } from "./committee-config.js";
import { ConfigError } from "./config-error.js";
import { type EventConfig, readEvents } from "./event-config.js";
import { type GenesisConfig, readGenesis } from "./genesis-config.js";
import { parseHocon } from "./hocon.js";
import { type LogConfig, readLog } from "./log-config.js";
import { type PeerConfig, readPeers } from "./peer-config.js";
import { type RateLimiterConfig, readRateLimiter } from "./rate-limit-config.js";
import { type EffectiveSetting, Section } from "./section.js";
import {
	type BackupConfig,
	type HttpConfig,
	type JsonRpcConfig,
	type MetricsConfig,
	type RpcConfig,
	readBackup,
	readHttp,
	readJsonRpc,
	readMetrics,
	readRpc,
} from "./service-config.js";
import { readShutdown, type ShutdownConfig } from "./shutdown-config.js";
import { type RunConfig, readRun, type StartOptions } from "./start-options.js";
import { readStorage, type StorageConfig } from "./storage-config.js";
import { type UnknownKey, unknownKeys } from "./unknown-keys.js";
import { type LocalWitnessConfig, readLocalWitness } from "./witness-keys.js";

/**
 * Part of half a slot in which a block is packed. The reference's is 50; this node, which answers requests on the thread
 * on which it packs, packs no less in this time, and nobody waits longer for it.
 */
const DEFAULT_PACKING_PERCENT = 25;

export { COMMITTEE_KEYS, type CommitteeConfig, type CommitteeKey } from "./committee-config.js";
export { ConfigError } from "./config-error.js";
export type { EventConfig, EventFilter, EventTopic } from "./event-config.js";
export type { GenesisAsset, GenesisConfig, GenesisWitness } from "./genesis-config.js";
export type { PeerAddress, PeerConfig } from "./peer-config.js";
export type { ComponentLimit, LimitStrategy, RateLimiterConfig } from "./rate-limit-config.js";
export type { EffectiveSetting, SettingValue } from "./section.js";
export type * from "./service-config.js";
export type { ShutdownConfig } from "./shutdown-config.js";
export type { RunConfig, StartOptions } from "./start-options.js";
export type { LevelOptions, StorageConfig } from "./storage-config.js";
export type { UnknownKey } from "./unknown-keys.js";
export { type LocalWitnessConfig, WitnessKeys } from "./witness-keys.js";

export interface NodeConfig {
	/** The file that was read, for messages. */
	readonly file: string;
	/** What is doubtful in the file without stopping the start; to be logged. */
	readonly warnings: readonly string[];
	/** Keys of the file that mean nothing to a node, with their lines; they are ignored. */
	readonly unknownKeys: readonly UnknownKey[];
	/** What holds for every key that a node reads, before flags of the command line. */
	readonly settings: readonly EffectiveSetting[];
	readonly net: NetConfig;
	readonly storage: StorageConfig;
	readonly node: NodeSection;
	readonly genesis: GenesisConfig;
	readonly localWitness: LocalWitnessConfig;
	readonly block: BlockConfig;
	readonly transaction: TransactionConfig;
	readonly vm: VmConfig;
	readonly committee: CommitteeConfig;
	readonly rateLimiter: RateLimiterConfig;
	/** Undefined: the file has no `event.subscribe`. */
	readonly events: EventConfig | undefined;
	/** Names of the contract handlers that are allowed; empty: all. Differs from the network if used. */
	readonly actuatorWhitelist: readonly string[];
	readonly dev: DevConfig;
	readonly log: LogConfig;
	readonly run: RunConfig;
}

export interface NetConfig {
	readonly type: "mainnet" | "testnet";
	/** First byte of every address. */
	readonly addressPrefix: number;
}

export interface NodeSection {
	/** Spelling of brand words in everything the servers say. */
	readonly dialect: Dialect;
	readonly peers: PeerConfig;
	readonly http: HttpConfig;
	readonly jsonrpc: JsonRpcConfig;
	readonly rpc: RpcConfig;
	readonly backup: BackupConfig;
	readonly metrics: MetricsConfig;
	readonly shutdown: ShutdownConfig | undefined;
	readonly pending: PendingConfig;
	readonly shielded: ShieldedConfig;
	/** The gRPC server that a solidity node follows. */
	readonly trustNode: string | undefined;
	/** Lower-case names of endpoints that answer "unavailable". */
	readonly disabledApi: ReadonlySet<string>;
	readonly openHistoryQueryWhenLite: boolean;
	readonly walletExtensionApi: boolean;
	readonly validateSignThreads: number;
	/** Below this share of slots with a block, in percent, the node does not produce. */
	readonly minParticipationRate: number;
	/** Share of the block interval for packing, in percent: 30 to 100. */
	readonly blockProducedTimeOutPercent: number;
	/** Whether broadcasts are refused while too many blocks are unsolidified. */
	readonly unsolidifiedBlockCheck: boolean;
	readonly maxUnsolidifiedBlocks: number;
	/** Signatures that make a PBFT message final, at most 27. */
	readonly agreeNodeCount: number;
}

export interface PendingConfig {
	/** More pending transactions and a broadcast is answered SERVER_BUSY. */
	readonly maxSize: number;
	readonly timeoutMs: bigint;
	readonly maxShielded: number;
	/** Whether packing prefers higher fees. */
	readonly sortByFee: boolean;
}

export interface ShieldedConfig {
	/** Off: shielded transactions do not enter the pool, and the proof precompiles answer without checking. */
	readonly enabled: boolean;
	/** Token of shielded transfers. */
	readonly tokenId: string;
}

export interface BlockConfig {
	/** Whether a witness waits for sync before it produces. */
	readonly needSyncCheck: boolean;
	/** Initial chain parameter. */
	readonly maintenanceTimeIntervalMs: number;
	readonly proposalExpireTimeMs: number;
	/** 0 skips the check of a freeze's duration; for tests. */
	readonly checkFrozenTime: number;
	/** Height from which contract rules of block version 5 hold. */
	readonly energyLimitBlockNumber: number;
}

export interface TransactionConfig {
	/** Which block built transactions refer to. */
	readonly referenceBlock: "solid" | "head";
	readonly expirationMs: bigint;
}

export interface VmConfig {
	/** Whether constant calls are served. */
	readonly supportConstant: boolean;
	readonly maxEnergyLimitForConstant: bigint;
	/** Entries of the cache of contract programs. */
	readonly lruCacheSize: number;
	readonly minTimeRatio: number;
	readonly maxTimeRatio: number;
	readonly longRunningTimeMs: number;
	readonly estimateEnergy: boolean;
	readonly estimateEnergyMaxRetry: number;
	readonly saveInternalTx: boolean;
	/** Internal transactions of stake and vote instructions too. */
	readonly saveFeaturedInternalTx: boolean;
	readonly saveCancelAllUnfreezeV2Details: boolean;
}

/** Ours alone: `dev {}`, the development chain (protocol/development-chain §1). */
export interface DevConfig {
	readonly enabled: boolean;
	/** Every other key of the section, as text. */
	readonly settings: Readonly<Record<string, string>>;
}

/** What a start without a usable configuration file reports. */
export function missingFile(path: string): ConfigError {
	return new ConfigError(`Configuration path is required! No Such file ${path}`);
}

/** Reads a configuration file. @throws {ConfigError} */
export function loadConfig(path: string, options: StartOptions = {}): NodeConfig {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		if (code === "ENOENT" || code === "ENOTDIR") throw missingFile(path);
		throw new ConfigError(`${path}: the configuration file cannot be read (${code ?? String(error)})`);
	}
	return parseConfig(text, path, options);
}

/** The configuration of a file that sets nothing: no genesis accounts, no peers, every default. */
export function defaultConfig(): NodeConfig {
	return parseConfig("storage {}", "default configuration");
}

/** Reads a configuration's text. `file` names it in messages. @throws {ConfigError} */
export function parseConfig(text: string, file = "configuration", options: StartOptions = {}): NodeConfig {
	const root = Section.root(parseHocon(text, file, toNeutral), file);
	const warnings: string[] = [];
	const warn = (warning: string) => void warnings.push(warning);
	const net = readNet(root);
	const config: NodeConfig = {
		file,
		warnings,
		unknownKeys: [],
		settings: [],
		net,
		localWitness: readLocalWitness(root, net.addressPrefix, options, warn),
		storage: readStorage(root, options, warn),
		node: readNode(root, options),
		genesis: readGenesis(root, net.addressPrefix),
		block: readBlock(root),
		transaction: readTransaction(root),
		vm: readVm(root.section("vm"), options),
		committee: readCommittee(root),
		rateLimiter: readRateLimiter(root, warn),
		events: readEvents(root, options, warn),
		actuatorWhitelist: root.texts("actuator.whitelist"),
		dev: readDev(root),
		log: readLog(root, warn),
		run: readRun(options),
	};
	return { ...config, unknownKeys: unknownKeys(root), settings: root.effective() };
}

function readNet(root: Section): NetConfig {
	const engine = root.text("crypto.engine", "ECKey");
	if (engine.toLowerCase() !== "eckey") {
		throw root.refuse("crypto.engine", `must be ECKey, the only signatures of this node, not "${engine}"`);
	}
	const type = root.text("net.type", "mainnet").toLowerCase() === "testnet" ? "testnet" : "mainnet";
	return { type, addressPrefix: type === "testnet" ? TEST_PREFIX : MAIN_PREFIX };
}

function readNode(root: Section, options: StartOptions): NodeSection {
	const node = root.section("node");
	const dialect = node.text("dialect", "neutral");
	if (dialect !== "neutral" && dialect !== "deployed") {
		throw node.refuse("dialect", `must be neutral or deployed, not "${dialect}"`);
	}
	return {
		dialect,
		peers: { ...readPeers(root), ...(options.seeds === undefined ? {} : { seeds: options.seeds }) },
		http: readHttp(node),
		jsonrpc: readJsonRpc(node),
		rpc: readRpc(node),
		backup: readBackup(node),
		metrics: readMetrics(node),
		shutdown: readShutdown(node),
		pending: {
			maxSize: node.int("maxTransactionPendingSize", 2000),
			timeoutMs: node.long("pendingTransactionTimeout", 60_000n),
			maxShielded: node.int("shieldedTransInPendingMaxCounts", 10),
			sortByFee: node.boolean("openTransactionSort", false),
		},
		shielded: {
			enabled: node.boolean("fullNodeAllowShieldedTransaction", true),
			tokenId: node.text("zenTokenId", "000000"),
		},
		trustNode: options.trustNode ?? node.optionalText("trustNode"),
		disabledApi: new Set(node.texts("disabledApi").map((name) => name.toLowerCase())),
		openHistoryQueryWhenLite: node.boolean("openHistoryQueryWhenLiteFN", false),
		walletExtensionApi: node.boolean("walletExtensionApi", false),
		validateSignThreads: node.int("validateSignThreadNum", availableParallelism()),
		minParticipationRate: node.int("minParticipationRate", 0),
		blockProducedTimeOutPercent: node.intClamped("blockProducedTimeOut", DEFAULT_PACKING_PERCENT, 30, 100),
		unsolidifiedBlockCheck: node.boolean("unsolidifiedBlockCheck", false),
		maxUnsolidifiedBlocks: node.int("maxUnsolidifiedBlocks", 54),
		agreeNodeCount: node.settle("agreeNodeCount", Math.min(27, node.int("agreeNodeCount", 19))),
	};
}

function readBlock(root: Section): BlockConfig {
	const block = root.section("block");
	return {
		needSyncCheck: block.boolean("needSyncCheck", false),
		maintenanceTimeIntervalMs: block.int("maintenanceTimeInterval", 21_600_000),
		proposalExpireTimeMs: block.int("proposalExpireTime", 259_200_000),
		checkFrozenTime: block.int("checkFrozenTime", 1),
		energyLimitBlockNumber: root.int("enery.limit.block.num", 4_727_890),
	};
}

function readTransaction(root: Section): TransactionConfig {
	const expirationMs = root.long("coin.expiration.timeInMilliseconds", 60_000n);
	return {
		referenceBlock: root.text("coin.reference.block", "solid") === "solid" ? "solid" : "head",
		expirationMs: expirationMs <= 0n ? 60_000n : expirationMs,
	};
}

function readVm(vm: Section, options: StartOptions): VmConfig {
	const maxEnergy = vm.long("maxEnergyLimitForConstant", options.maxEnergyLimitForConstant ?? 100_000_000n);
	if (vm.boolean("vmTrace", false)) {
		throw vm.refuse("vmTrace", "must be false: this node writes no traces into files");
	}
	const lruCacheSize = vm.int("lruCacheSize", options.lruCacheSize ?? 500);
	return {
		supportConstant: vm.boolean("supportConstant", options.supportConstant ?? false),
		maxEnergyLimitForConstant: vm.settle(
			"maxEnergyLimitForConstant",
			maxEnergy < 3_000_000n ? 3_000_000n : maxEnergy,
		),
		lruCacheSize: vm.settle("lruCacheSize", lruCacheSize < 1 ? 500 : lruCacheSize),
		minTimeRatio: vm.double("minTimeRatio", options.minTimeRatio ?? 0),
		maxTimeRatio: vm.double("maxTimeRatio", options.maxTimeRatio ?? 5),
		longRunningTimeMs: vm.int("longRunningTime", options.longRunningTime ?? 10),
		estimateEnergy: vm.boolean("estimateEnergy", false),
		estimateEnergyMaxRetry: vm.intClamped("estimateEnergyMaxRetry", 3, 0, 10),
		saveInternalTx: vm.boolean("saveInternalTx", false),
		saveFeaturedInternalTx: vm.boolean("saveFeaturedInternalTx", false),
		saveCancelAllUnfreezeV2Details:
			vm.boolean("saveCancelAllUnfreezeV2Details", false) || options.saveCancelAllUnfreezeV2Details === true,
	};
}

function readDev(root: Section): DevConfig {
	const dev = root.section("dev");
	const settings: Record<string, string> = {};
	for (const name of dev.names()) if (name !== "enabled") settings[name] = dev.text(name, "");
	return { enabled: dev.boolean("enabled", false), settings };
}
