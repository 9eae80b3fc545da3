/**
 * A node's configuration: one HOCON file, the same that other nodes of the network read, as a typed value
 * (protocol/configuration §1). Keys are accepted in both spellings of the brand words. Unknown and
 * ineffective keys are reported; a wrong type or range stops the start with one message.
 */

import { readFileSync } from "node:fs";
import { ConfigError, parseHocon, removeValue } from "../../hocon/hocon.js";
import type { EffectiveSetting } from "../../hocon/section.js";
import { MAIN_PREFIX, TEST_PREFIX } from "../../protocol/address.js";
import { type Dialect, toNeutral } from "../../protocol/dialect.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import type { PublicNetwork } from "../../protocol/public-networks.js";
import type { NetworkName } from "../rules/chain-rules.js";
import { forkTableOf } from "../rules/fork-gates.js";
import { RELEASES, type Release, releaseNamed } from "../rules/release.js";
import { type CommitteeConfig, readCommittee } from "./committee-rules.js";
import { developmentSettings } from "./development-keys.js";
import { type EventConfig, readEvents } from "./event-config.js";
import { type GenesisConfig, readGenesis } from "./genesis-config.js";
import { networkOfGenesis, readNetwork, refuseOtherNetwork, withPreset } from "./network-config.js";
import type { NetworkPreset } from "./networks/networks.js";
import { MIN_KEPT_BLOCKS } from "./node-settings.js";
import { type PeerConfig, readPeers } from "./peer-config.js";
import { type RateLimiterConfig, readRateLimiter } from "./rate-limit-config.js";
import { type Readings, readingsOf } from "./readings.js";
import {
	type AuditConfig,
	type BackupConfig,
	type HttpConfig,
	type JsonRpcConfig,
	type LogConfig,
	type MetricsConfig,
	type RpcConfig,
	readAudit,
	readBackup,
	readHttp,
	readJsonRpc,
	readLog,
	readMetrics,
	readRpc,
} from "./service-config.js";
import { type IdleKey, Settings, type UnknownKey } from "./settings.js";
import { readShutdown, type ShutdownConfig } from "./shutdown-config.js";
import { type RunConfig, readRun, type StartOptions } from "./start-options.js";
import {
	type HistoryConfig,
	readHistory,
	readStorage,
	requireStorage,
	type StorageConfig,
} from "./storage-config.js";
import { type LocalWitnessConfig, readLocalWitness } from "./witness-keys.js";

export { ConfigError } from "../../hocon/hocon.js";
export type { EffectiveSetting, SettingValue } from "../../hocon/section.js";
export { COMMITTEE_KEYS, type CommitteeConfig, type CommitteeKey } from "./committee-rules.js";
export type { EventConfig } from "./event-config.js";
export type { GenesisAsset, GenesisConfig, GenesisWitness } from "./genesis-config.js";
export type { PeerAddress, PeerConfig } from "./peer-config.js";
export type { ComponentLimit, LimitStrategy, RateLimiterConfig } from "./rate-limit-config.js";
export type * from "./service-config.js";
export type { IdleKey, UnknownKey } from "./settings.js";
export type { SettingPath } from "./settings-table.js";
export type { ShutdownConfig } from "./shutdown-config.js";
export type { FlagValues, RunConfig, StartOptions } from "./start-options.js";
export type { StorageConfig } from "./storage-config.js";
export { type LocalWitnessConfig, WitnessKeys } from "./witness-keys.js";

export interface NodeConfig {
	/** The file that was read, for messages. */
	readonly file: string;
	/** Questionable settings that don't prevent the start; to be logged. */
	readonly warnings: readonly string[];
	/** Unknown keys of the file, with their lines; they are ignored. */
	readonly unknownKeys: readonly UnknownKey[];
	/** Keys of the file that have no effect in this program, and why. */
	readonly idleKeys: readonly IdleKey[];
	/** The effective values of all keys that a node reads, before command line flags. */
	readonly settings: readonly EffectiveSetting[];
	readonly net: NetConfig;
	readonly storage: StorageConfig;
	readonly node: NodeSection;
	readonly genesis: GenesisConfig;
	/** The public network that the genesis block belongs to; undefined: another chain's. */
	readonly publicNetwork: PublicNetwork | undefined;
	/** The defaults beneath the file, if a public network was named. */
	readonly preset: NetworkPreset | undefined;
	readonly localWitness: LocalWitnessConfig;
	readonly block: BlockConfig;
	readonly transaction: TransactionConfig;
	readonly vm: VmConfig;
	readonly committee: CommitteeConfig;
	readonly rateLimiter: RateLimiterConfig;
	/** Classes of allowed contract handlers; empty: all. Diverges from the network if used. */
	readonly actuatorWhitelist: readonly string[];
	readonly dev: DevConfig;
	readonly log: LogConfig;
	/** Undefined: no events are published. */
	readonly events: EventConfig | undefined;
	readonly run: RunConfig;
}

interface NetConfig {
	/** First byte of every address. */
	readonly addressPrefix: number;
}

interface NodeSection {
	/** Spelling of brand words in everything the servers return. */
	readonly dialect: Dialect;
	/** The release whose API responses and input checks apply. */
	readonly release: Release;
	/** The network whose block version and parameter numbers apply. */
	readonly network: NetworkName;
	readonly peers: PeerConfig;
	readonly http: HttpConfig;
	readonly jsonrpc: JsonRpcConfig;
	readonly rpc: RpcConfig;
	readonly backup: BackupConfig;
	readonly metrics: MetricsConfig;
	readonly shutdown: ShutdownConfig | undefined;
	readonly pending: PendingConfig;
	readonly blocks: BlocksConfig;
	readonly history: HistoryConfig;
	/** Whether the state hash is maintained. */
	readonly stateHash: boolean;
	/** Undefined: no comparison with another node. */
	readonly audit: AuditConfig | undefined;
	readonly shielded: ShieldedConfig;
	/** Lower-case names of endpoints that answer "unavailable". */
	readonly disabledApi: ReadonlySet<string>;
	readonly openHistoryQueryWhenLite: boolean;
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

interface PendingConfig {
	/** With more pending transactions, broadcasts are answered SERVER_BUSY. */
	readonly maxSize: number;
	readonly timeoutMs: bigint;
	readonly maxShielded: number;
	/** Transactions with post-quantum signatures. */
	readonly maxPostQuantum: number;
	/** Whether packing prefers higher fees. */
	readonly sortByFee: boolean;
}

/** How old blocks are stored. Ours. */
interface BlocksConfig {
	/** Whether they move into compressed files of their own. */
	readonly segments: boolean;
	/** Number of newest blocks to keep; undefined: all. */
	readonly keep: number | undefined;
}

interface ShieldedConfig {
	/** Whether the APIs serve shielded transactions, and the pool takes them. */
	readonly enabled: boolean;
	/** Off: proof precompiles answer without checking, like release 4.8.0 with shielded transactions off. */
	readonly verifiesProofs: boolean;
	/** Location of the proof-checking keys. */
	readonly parameters: ShieldedParameters | undefined;
	/** Whether a chain may be followed without being able to check its proofs. */
	readonly allowsUnverified: boolean;
	/** Of the token of the chain's own pool. */
	readonly tokenId: string;
}

interface ShieldedParameters {
	readonly folder: string;
	/** BLAKE2b-512 of the files, in hexadecimal. */
	readonly spendHash: string | undefined;
	readonly outputHash: string | undefined;
}

interface BlockConfig {
	/** Whether a witness waits for sync before it produces. */
	readonly needSyncCheck: boolean;
	/** Initial chain parameter. */
	readonly maintenanceTimeIntervalMs: number;
	readonly proposalExpireTimeMs: number;
	/** The version that blocks of this node vote for; undefined: the newest that the release knows. */
	readonly version: number | undefined;
	/** 0 skips the check of a freeze's duration; for tests. */
	readonly checkFrozenTime: number;
	/** Height from which contract rules of block version 5 hold. */
	readonly energyLimitBlockNumber: number;
}

interface TransactionConfig {
	/** Which block newly built transactions reference. */
	readonly referenceBlock: "solid" | "head";
	readonly expirationMs: bigint;
}

interface VmConfig {
	/** Whether constant calls are served. */
	readonly supportConstant: boolean;
	readonly maxEnergyLimitForConstant: bigint;
	/** Entries of the cache of contract programs. */
	readonly lruCacheSize: number;
	/** CPU time factor for a block's transaction that ran out of time in its producer's execution. */
	readonly minTimeRatio: number;
	/** Factor of the CPU time limit for all other transactions of a block. */
	readonly maxTimeRatio: number;
	readonly estimateEnergy: boolean;
	readonly estimateEnergyMaxRetry: number;
	readonly saveInternalTx: boolean;
	/** Internal transactions of stake and vote instructions too. */
	readonly saveFeaturedInternalTx: boolean;
	readonly saveCancelAllUnfreezeV2Details: boolean;
	/** Time limit of a constant call; 0: the chain's CPU time. */
	readonly constantCallTimeoutMs: number;
	/** Which contract programs are compiled. */
	readonly compile: "hot" | "never" | "always";
}

/** Ours alone: `dev {}`, the development chain (protocol/development-chain §1). */
interface DevConfig {
	readonly enabled: boolean;
	/** Every other key of the section that is there, as text. */
	readonly settings: Readonly<Record<string, string>>;
}

/** The error of a start without a usable configuration file. */
function missingFile(path: string): ConfigError {
	return new ConfigError(`Configuration path is required! No Such file ${path}`, { file: path });
}

/** Reads a configuration file. @throws {ConfigError} */
export function loadConfig(path: string, options: StartOptions = {}): NodeConfig {
	return parseConfig(textOf(path), path, options);
}

/** Unknown keys of a file, even if it has other errors. @throws {ConfigError} if it can't be read */
export function unknownKeysOf(path: string): UnknownKey[] {
	return Settings.unknownIn(parseHocon(textOf(path), path, toNeutral), path);
}

function textOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		if (code === "ENOENT" || code === "ENOTDIR") throw missingFile(path);
		throw new ConfigError(`${path}: the configuration file cannot be read (${code ?? String(error)})`);
	}
}

/** A public network's configuration without a user file. */
export function presetConfig(preset: NetworkPreset, options: StartOptions = {}): NodeConfig {
	return parseConfig("", `--network ${preset.name}`, { ...options, preset });
}

/** The configuration of a file that sets nothing: no genesis accounts, no peers, every default. */
export function defaultConfig(): NodeConfig {
	return parseConfig("storage {}", "default configuration");
}

/** Reads a configuration's text. `file` names it in messages. @throws {ConfigError} */
export function parseConfig(text: string, file = "configuration", options: StartOptions = {}): NodeConfig {
	const { preset } = options;
	const own = parseHocon(text, file, toNeutral);
	for (const ignored of options.ignored ?? []) removeValue(own, ignored);
	const object = preset === undefined ? own : withPreset(preset, own);
	const release = readRelease(Settings.root(object, file, options));
	const readings = readingsOf(release);
	const warnings: string[] = [];
	const warn = (warning: string) => void warnings.push(warning);
	const settings = Settings.root(object, file, readings.flags(options, warn));
	const net = readNet(settings, readings, warn);
	const events = readEvents(settings, readings, options.events === true, warn);
	const genesis = readGenesis(settings, net.addressPrefix);
	if (preset !== undefined) refuseOtherNetwork(preset, file, genesis);
	const publicNetwork = networkOfGenesis(genesis);
	const network = readNetwork(settings, publicNetwork, warn);
	const config: NodeConfig = {
		file,
		warnings,
		unknownKeys: settings.unknownKeys(),
		idleKeys: settings.idleKeys(),
		settings: [],
		net,
		localWitness: readLocalWitness(
			settings,
			{ addressPrefix: net.addressPrefix, readings, network },
			options,
			warn,
		),
		storage: readStorage(settings, warn),
		node: readNode(settings, readRelease(settings), network, options.witness === true),
		genesis,
		publicNetwork,
		preset,
		block: readBlock(settings, readings, network),
		transaction: readTransaction(settings),
		vm: readVm(settings, readings),
		committee: readCommittee(settings),
		rateLimiter: readRateLimiter(settings, readings, warn),
		actuatorWhitelist: readings.allowedHandlers(settings.get("actuator.whitelist"), warn),
		dev: readDev(settings),
		log: readLog(settings, warn),
		events,
		run: readRun(options),
	};
	// Last, so that other errors are reported as well.
	requireStorage(settings);
	return { ...config, settings: settings.effective() };
}

function readNet(settings: Settings, readings: Readings, warn: (text: string) => void): NetConfig {
	const engine = settings.get("crypto.engine");
	if (engine.toLowerCase() !== "eckey") {
		throw settings.refuse(
			"crypto.engine",
			`must be ECKey, the only signatures of this node, not "${engine}"`,
		);
	}
	const wantsTest = settings.get("net.type").toLowerCase() === "testnet";
	return { addressPrefix: wantsTest && readings.takesTestnet(warn) ? TEST_PREFIX : MAIN_PREFIX };
}

/** @throws {ConfigError} for an unknown release */
function readRelease(settings: Settings): Release {
	const name = settings.get("node.release");
	const release = releaseNamed(name);
	if (release === undefined) {
		throw settings.refuse("node.release", `must be ${RELEASES.join(", ")}, not "${name}"`);
	}
	return release;
}

/** @throws {ConfigError} for a number below what rules may read, or an inexact one */
function readBlocks(settings: Settings): BlocksConfig {
	const segments = settings.get("node.blocks.segments");
	const text = settings.get("node.blocks.keep");
	if (text === "all") return { segments, keep: undefined };
	const keep = /^\d{1,15}$/.test(text) ? Number(text) : 0;
	if (keep < MIN_KEPT_BLOCKS) {
		throw settings.refuse(
			"node.blocks.keep",
			`must be all, or a number from ${MIN_KEPT_BLOCKS}, not "${text}"`,
		);
	}
	if (!segments) {
		throw settings.refuse(
			"node.blocks.keep",
			"needs node.blocks.segments = true: blocks go segment by segment",
		);
	}
	return { segments, keep };
}

function readNode(
	settings: Settings,
	release: Release,
	network: NetworkName,
	isWitness: boolean,
): NodeSection {
	const readings = readingsOf(release);
	const dialect = settings.get("node.dialect");
	if (dialect !== "neutral" && dialect !== "deployed") {
		throw settings.refuse("node.dialect", `must be neutral or deployed, not "${dialect}"`);
	}
	return {
		dialect,
		release,
		network,
		peers: readPeers(settings),
		http: readHttp(settings, readings),
		jsonrpc: readJsonRpc(settings, readings),
		rpc: readRpc(settings, readings),
		backup: readBackup(settings),
		metrics: readMetrics(settings),
		shutdown: readShutdown(settings),
		blocks: readBlocks(settings),
		history: readHistory(settings),
		stateHash: settings.get("node.state.hash"),
		audit: readAudit(settings),
		pending: {
			maxSize: settings.get("node.maxTransactionPendingSize"),
			timeoutMs: settings.get("node.pendingTransactionTimeout"),
			maxShielded: settings.get("node.shieldedTransInPendingMaxCounts"),
			maxPostQuantum: settings.get("node.pqTransInPendingMaxCounts"),
			sortByFee: settings.get("node.openTransactionSort"),
		},
		shielded: readShielded(settings, readings, isWitness),
		disabledApi: new Set(settings.get("node.disabledApi").map((name) => name.toLowerCase())),
		openHistoryQueryWhenLite: settings.get("node.openHistoryQueryWhenLiteFN"),
		validateSignThreads: settings.get("node.validateSignThreadNum"),
		minParticipationRate: settings.get("node.minParticipationRate"),
		blockProducedTimeOutPercent: settings.get("node.blockProducedTimeOut"),
		unsolidifiedBlockCheck: settings.get("node.unsolidifiedBlockCheck"),
		maxUnsolidifiedBlocks: settings.get("node.maxUnsolidifiedBlocks"),
		agreeNodeCount: readQuorum(settings),
	};
}

function readShielded(settings: Settings, readings: Readings, isWitness: boolean): ShieldedConfig {
	const former = settings.get("node.fullNodeAllowShieldedTransaction");
	const parameters = readShieldedParameters(settings);
	const allowsUnverified = settings.get("node.shielded.allowUnverified");
	const tokenId = settings.get("node.zenTokenId");
	return { ...readings.shielded(settings, former, isWitness), parameters, allowsUnverified, tokenId };
}

/** @throws {ConfigError} for a malformed hash */
function readShieldedParameters(settings: Settings): ShieldedParameters | undefined {
	const folder = settings.get("node.shielded.params");
	const hash = (key: "node.shielded.spendHash" | "node.shielded.outputHash"): string => {
		const text = settings.get(key).toLowerCase();
		if (!/^[0-9a-f]{128}$/.test(text))
			throw new ConfigError(`${key} is not a BLAKE2b-512 in hexadecimal, of 128 digits`, {}, key);
		return text;
	};
	const [spendHash, outputHash] = [hash("node.shielded.spendHash"), hash("node.shielded.outputHash")];
	return folder === undefined || folder === "" ? undefined : { folder, spendHash, outputHash };
}

/** Number of active witnesses. */
const WITNESSES = 27;
const TWO_THIRDS_AND_ONE = 19;

/** @throws {ConfigError} for a proposal lifetime that the release refuses */
function readBlock(settings: Settings, readings: Readings, network: NetworkName): BlockConfig {
	const life = settings.get("block.proposalExpireTime");
	settings.get("committee.proposalExpireTime");
	readings.checkProposals(settings);
	return {
		needSyncCheck: settings.get("block.needSyncCheck"),
		maintenanceTimeIntervalMs: settings.get("block.maintenanceTimeInterval"),
		proposalExpireTimeMs: life,
		version: readVersion(settings, network),
		checkFrozenTime: settings.get("block.checkFrozenTime"),
		energyLimitBlockNumber: settings.get("enery.limit.block.num"),
	};
}

/** More than two thirds of the witnesses, unless the file sets at least one. */
function readQuorum(settings: Settings): number {
	const count = settings.get("node.agreeNodeCount");
	return settings.settle("node.agreeNodeCount", count < 1 ? TWO_THIRDS_AND_ONE : Math.min(WITNESSES, count));
}

function readVersion(settings: Settings, network: NetworkName): number | undefined {
	const version = settings.get("block.version");
	if (version === 0) return undefined;
	const known = forkTableOf({ network }).map((row) => row.version);
	if (!known.includes(version)) {
		throw settings.refuse("block.version", `must be one of ${known.join(", ")}, not ${version}`);
	}
	return version;
}

function readTransaction(settings: Settings): TransactionConfig {
	const expirationMs = settings.get("coin.expiration.timeInMilliseconds");
	return {
		referenceBlock: settings.get("coin.reference.block") === "solid" ? "solid" : "head",
		expirationMs: expirationMs <= 0n ? 60_000n : expirationMs,
	};
}

/** @throws {ConfigError} for a negative time, or one beyond 64 bits */
function readCallTimeout(settings: Settings, readings: Readings): number {
	const ms = settings.get("vm.constantCallTimeoutMs");
	if (ms < 0n || ms > MAX_INT64 / 1000n) {
		throw settings.refuse("vm.constantCallTimeoutMs", `must be 0 to ${MAX_INT64 / 1000n}, not ${ms}`);
	}
	return readings.callTimeoutMs(ms);
}

function readVm(settings: Settings, readings: Readings): VmConfig {
	const maxEnergy = settings.get("vm.maxEnergyLimitForConstant");
	if (settings.get("vm.vmTrace")) {
		throw settings.refuse("vm.vmTrace", "must be false: this node writes no traces into files");
	}
	const lruCacheSize = settings.get("vm.lruCacheSize");
	return {
		supportConstant: settings.get("vm.supportConstant"),
		maxEnergyLimitForConstant: settings.settle(
			"vm.maxEnergyLimitForConstant",
			maxEnergy < 3_000_000n ? 3_000_000n : maxEnergy,
		),
		lruCacheSize: settings.settle("vm.lruCacheSize", lruCacheSize < 1 ? 500 : lruCacheSize),
		minTimeRatio: readRatio(settings, "vm.minTimeRatio"),
		maxTimeRatio: readRatio(settings, "vm.maxTimeRatio"),
		estimateEnergy: settings.get("vm.estimateEnergy"),
		estimateEnergyMaxRetry: settings.get("vm.estimateEnergyMaxRetry"),
		saveInternalTx: settings.get("vm.saveInternalTx"),
		saveFeaturedInternalTx: settings.get("vm.saveFeaturedInternalTx"),
		saveCancelAllUnfreezeV2Details: settings.get("vm.saveCancelAllUnfreezeV2Details"),
		constantCallTimeoutMs: readCallTimeout(settings, readings),
		compile: readCompile(settings),
	};
}

function readCompile(settings: Settings): VmConfig["compile"] {
	const compile = settings.get("vm.compile");
	if (compile === "hot" || compile === "never" || compile === "always") return compile;
	throw settings.refuse("vm.compile", `must be hot, never or always, not "${compile}"`);
}

function readRatio(settings: Settings, path: "vm.minTimeRatio" | "vm.maxTimeRatio"): number {
	const ratio = settings.get(path);
	if (ratio < 0) throw settings.refuse(path, `must be 0 or more, not ${ratio}`);
	return ratio;
}

function readDev(settings: Settings): DevConfig {
	const values = Object.entries(developmentSettings).map(
		([path]) => [path.slice("dev.".length), settings.get(path as keyof typeof developmentSettings)] as const,
	);
	return {
		enabled: settings.get("dev.enabled"),
		settings: Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined)),
	};
}
