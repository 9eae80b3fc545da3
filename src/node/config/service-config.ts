/**
 * Servers and their limits: `node.http`, `node.rpc`, `node.jsonrpc`, metrics and backup
 * (protocol/configuration §1.5, §1.6); the log and the node audit.
 */

import { NEVER } from "./node-settings.js";
import type { Readings } from "./readings.js";
import type { Settings } from "./settings.js";
import type { SettingPath, ValueOf } from "./settings-table.js";

/** Keys whose values have a given type. */
type KeyOf<T> = {
	[P in SettingPath]: ValueOf<P> extends T ? (T extends ValueOf<P> ? P : never) : never;
}[SettingPath];

export interface ListenerConfig {
	readonly enabled: boolean;
	readonly port: number;
}

/** A server type with one listener for each of the three views of the chain. */
export interface ThreeListeners {
	readonly full: ListenerConfig;
	readonly solidity: ListenerConfig;
	readonly pbft: ListenerConfig;
}

export interface HttpConfig extends ThreeListeners {
	/** Maximum connections per HTTP or JSON-RPC listener; 0 or less: unlimited. */
	readonly maxConnections: number;
	/** Bytes of a request body. */
	readonly maxBodySize: number;
	/** Allowed CORS origins for HTTP and JSON-RPC; `*`: all. Ours; empty: none. */
	readonly cors: readonly string[];
	/** Whether the full server serves the explorer at `/explorer/`. Ours. */
	readonly explorer: boolean;
	/** Whether immutable GET responses are cacheable. Ours. */
	readonly cacheHeaders: boolean;
}

export interface JsonRpcConfig extends ThreeListeners {
	/** Maximum block range of a log query; 0 or less: unlimited. */
	readonly maxBlockRange: number;
	/** Maximum alternatives per topic; 0 or less: unlimited. */
	readonly maxSubTopics: number;
	/** Maximum filters per server, as limited by later releases; 0 or less: unlimited. */
	readonly maxBlockFilters: number;
	readonly maxLogFilters: number;
	/** Maximum calls per batch; 0 or less: unlimited, as in release 4.8.0. */
	readonly maxBatchSize: number;
	/** Maximum response bytes, as limited by later releases; 0 or less: unlimited. */
	readonly maxResponseSize: number;
	/** Maximum addresses per filter; 0 or less: unlimited, as in release 4.8.0. */
	readonly maxAddresses: number;
	/** Maximum bytes of a request body. */
	readonly maxBodySize: number;
	/** WebSocket connections to the full server; 0 or less: none. */
	readonly maxWebSockets: number;
	/** Maximum subscriptions per WebSocket connection. */
	readonly maxSubscriptions: number;
	/** Whether Ethereum libraries get the responses they expect, instead of the reference's. Ours. */
	readonly lenient: boolean;
	/** Whether blocks are re-executed for clients: methods named debug_ and trace_. */
	readonly debug: boolean;
	/** Whether clients may simulate blocks and override state; enabled along with debugging. */
	readonly simulate: boolean;
	/** Milliseconds for all executions of such a request; 0 or less: unlimited. */
	readonly debugTimeoutMs: number;
	/** Whether clients may read raw state entries. */
	readonly state: boolean;
}

export interface RpcConfig extends ThreeListeners {
	readonly maxConcurrentCallsPerConnection: number;
	readonly flowControlWindow: number;
	/** Undefined: never closed. */
	readonly maxConnectionIdleMs: bigint | undefined;
	readonly maxConnectionAgeMs: bigint | undefined;
	/** Bytes of an inbound message. */
	readonly maxMessageSize: number;
	/** Bytes of a call's header fields, counting 32 extra per field. */
	readonly maxHeaderListSize: number;
	/** Calls that a connection may reset within the window; unlimited if either is 0. */
	readonly maxResets: number;
	readonly resetWindowMs: number;
	readonly reflection: boolean;
	/** Peers required for a broadcast; 0: none. */
	readonly minEffectiveConnection: number;
	/** Whether ids of broadcasts are cached and duplicates answered at once. */
	readonly transactionCache: boolean;
}

export interface BackupConfig {
	readonly priority: number;
	readonly port: number;
	readonly keepAliveIntervalMs: number;
	readonly members: readonly string[];
}

export interface MetricsConfig {
	/** The legacy meters: gRPC Monitor and `/monitor/getstatsinfo`. */
	readonly enabled: boolean;
	/** `host`: bind address. */
	readonly prometheus: ListenerConfig & { readonly host: string };
}

export function readHttp(settings: Settings, readings: Readings): HttpConfig {
	return {
		full: listener(settings, "node.http.fullNodeEnable", "node.http.fullNodePort"),
		solidity: listener(settings, "node.http.solidityEnable", "node.http.solidityPort"),
		pbft: listener(settings, "node.http.PBFTEnable", "node.http.PBFTPort"),
		maxConnections: settings.get("node.maxHttpConnectNumber"),
		maxBodySize: readings.httpBodySize(settings),
		cors: readOrigins(settings),
		explorer: settings.get("node.http.explorer"),
		cacheHeaders: settings.get("node.http.cacheHeaders"),
	};
}

/** @throws {ConfigError} for a negative size */
export function readSize(
	settings: Settings,
	path: "node.http.maxMessageSize" | "node.jsonrpc.maxMessageSize" | "node.rpc.maxMessageSize",
): number {
	const size = settings.get(path);
	if (size < 0) throw settings.refuse(path, `must be non-negative, got: ${size}`);
	return size;
}

/** @throws {ConfigError} for a malformed origin */
function readOrigins(settings: Settings): readonly string[] {
	const origins = settings.get("node.http.cors");
	for (const origin of origins) {
		if (origin === "*" || (URL.canParse(origin) && new URL(origin).origin === origin)) continue;
		throw settings.refuse(
			"node.http.cors",
			`must be a list of origins such as "https://wallet.example", not "${origin}"`,
		);
	}
	return origins;
}

/** The reference's defaults: calls per batch, addresses per filter. */
const BATCH_OF_REFERENCE = 100;
const ADDRESSES_OF_REFERENCE = 1_000;

export function readJsonRpc(settings: Settings, readings: Readings): JsonRpcConfig {
	const lenient = settings.get("node.jsonrpc.lenient");
	// The reference's limits are smaller than this node needs; Ethereum libraries expect larger ones.
	const isNarrow = readings.hasNarrowLimits && !lenient;
	const limit = (
		path: "node.jsonrpc.maxBatchSize" | "node.jsonrpc.maxAddressSize",
		narrow: number,
	): number => {
		const value = settings.get(path);
		return settings.settle(path, isNarrow && !settings.has(path) ? narrow : value);
	};
	return {
		full: listener(settings, "node.jsonrpc.httpFullNodeEnable", "node.jsonrpc.httpFullNodePort"),
		solidity: listener(settings, "node.jsonrpc.httpSolidityEnable", "node.jsonrpc.httpSolidityPort"),
		pbft: listener(settings, "node.jsonrpc.httpPBFTEnable", "node.jsonrpc.httpPBFTPort"),
		maxBlockRange: settings.get("node.jsonrpc.maxBlockRange"),
		maxSubTopics: settings.get("node.jsonrpc.maxSubTopics"),
		maxBlockFilters: settings.get("node.jsonrpc.maxBlockFilterNum"),
		maxLogFilters: settings.get("node.jsonrpc.maxLogFilterNum"),
		maxBatchSize: limit("node.jsonrpc.maxBatchSize", BATCH_OF_REFERENCE),
		maxResponseSize: settings.get("node.jsonrpc.maxResponseSize"),
		maxAddresses: limit("node.jsonrpc.maxAddressSize", ADDRESSES_OF_REFERENCE),
		maxBodySize: readSize(settings, "node.jsonrpc.maxMessageSize"),
		maxWebSockets: settings.get("node.jsonrpc.maxWebSockets"),
		maxSubscriptions: settings.get("node.jsonrpc.maxSubscriptions"),
		lenient,
		debug: settings.get("node.jsonrpc.debug"),
		simulate: settings.get("node.jsonrpc.simulate") || settings.get("node.jsonrpc.debug"),
		debugTimeoutMs: settings.get("node.jsonrpc.debugTimeoutMs"),
		state: settings.get("node.jsonrpc.state"),
	};
}

export function readRpc(settings: Settings, readings: Readings): RpcConfig {
	const age = settings.get("node.rpc.maxConnectionAgeInMillis");
	const idle = settings.get("node.rpc.maxConnectionIdleInMillis");
	return {
		full: listener(settings, "node.rpc.enable", "node.rpc.port"),
		solidity: listener(settings, "node.rpc.solidityEnable", "node.rpc.solidityPort"),
		pbft: listener(settings, "node.rpc.PBFTEnable", "node.rpc.PBFTPort"),
		maxConcurrentCallsPerConnection: settings.get("node.rpc.maxConcurrentCallsPerConnection"),
		flowControlWindow: settings.get("node.rpc.flowControlWindow"),
		maxConnectionIdleMs: idle === NEVER ? undefined : idle,
		maxConnectionAgeMs: age === NEVER ? undefined : age,
		maxMessageSize: readings.rpcMessageSize(settings),
		maxHeaderListSize: settings.get("node.rpc.maxHeaderListSize"),
		maxResets: settings.get("node.rpc.maxRstStream"),
		resetWindowMs: settings.get("node.rpc.secondsPerWindow") * 1000,
		reflection: settings.get("node.rpc.reflectionService"),
		minEffectiveConnection: settings.get("node.rpc.minEffectiveConnection"),
		transactionCache: settings.get("node.rpc.coinCacheEnable"),
	};
}

export function readBackup(settings: Settings): BackupConfig {
	return {
		priority: settings.get("node.backup.priority"),
		port: settings.get("node.backup.port"),
		keepAliveIntervalMs: settings.get("node.backup.keepAliveInterval"),
		members: settings.get("node.backup.members"),
	};
}

export function readMetrics(settings: Settings): MetricsConfig {
	return {
		enabled: settings.get("node.metricsEnable"),
		prometheus: {
			...listener(settings, "node.metrics.prometheus.enable", "node.metrics.prometheus.port"),
			host: settings.get("node.metrics.prometheus.host"),
		},
	};
}

function listener(settings: Settings, enable: KeyOf<boolean>, port: KeyOf<number>): ListenerConfig {
	return { enabled: settings.get(enable), port: settings.get(port) };
}

/** From most to least verbose; `off` logs nothing. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "off"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogConfig {
	/** The minimum level that is logged. */
	readonly level: LogLevel;
}

function logLevelOf(text: string): LogLevel | undefined {
	return LOG_LEVELS.find((level) => level === text.toLowerCase());
}

/**
 * Our own key is `log.level = warn`. Files for the network's node may have an object there, with a level per
 * logger; only `root` is used, and levels that aren't ours are ignored.
 * @throws {ConfigError}
 */
export function readLog(settings: Settings, warn: (warning: string) => void): LogConfig {
	const key = settings.isGroup("log.level") ? "log.level.root" : "log.level";
	const text = settings.get(key);
	const level = logLevelOf(text);
	if (level) return { level };
	const refused = settings.refuse(key, `must be one of ${LOG_LEVELS.join(", ")}, not "${text}"`);
	if (key === "log.level") throw refused;
	warn(`${refused.message}; info is used`);
	return { level: "info" };
}

/** `node.audit`: another node to compare this one with, and the rate and extent of requests (ours). */
export interface AuditConfig {
	/** Base URLs without a trailing slash. */
	readonly against: string;
	readonly solidity: string | undefined;
	readonly jsonrpc: string | undefined;
	/** Share of what a block touched, from 0 to 1. */
	readonly sample: number;
	/** Requests a second. */
	readonly rate: number;
}

/** @returns undefined if not configured @throws {ConfigError} */
export function readAudit(settings: Settings): AuditConfig | undefined {
	const url = (
		key: "node.audit.against" | "node.audit.solidity" | "node.audit.jsonrpc",
	): string | undefined => {
		const text = settings.get(key);
		if (text === undefined) return undefined;
		const parsed = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
		if (parsed?.username !== "" || parsed.password !== "")
			throw settings.refuse(key, "must be an address such as http://192.0.2.7:8090, without a user");
		return text.replace(/\/+$/, "");
	};
	const [against, solidity, jsonrpc] = [
		url("node.audit.against"),
		url("node.audit.solidity"),
		url("node.audit.jsonrpc"),
	];
	const sample = settings.get("node.audit.sample");
	if (!(sample >= 0 && sample <= 1)) throw settings.refuse("node.audit.sample", "must be from 0 to 1");
	const rate = settings.get("node.audit.rate");
	if (against === undefined) return undefined;
	if (!settings.get("node.http.fullNodeEnable")) {
		throw settings.refuse(
			"node.audit.against",
			"needs node.http.fullNodeEnable: both nodes are asked over HTTP",
		);
	}
	return { against, solidity, jsonrpc, sample, rate };
}
