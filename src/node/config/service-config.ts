/** The servers and their limits: `node.http`, `node.rpc`, `node.jsonrpc`, metrics and backup (protocol/configuration §1.5, §1.6). */

import { availableParallelism } from "node:os";
import type { Section } from "./section.js";

/** One listener. */
export interface ListenerConfig {
	readonly enabled: boolean;
	readonly port: number;
}

/** One kind of server over the three views of the chain. */
export interface ThreeListeners {
	readonly full: ListenerConfig;
	readonly solidity: ListenerConfig;
	readonly pbft: ListenerConfig;
}

export interface HttpConfig extends ThreeListeners {
	/** Connections each HTTP or JSON-RPC listener holds; 0 or less: none. */
	readonly maxConnections: number;
	/** Bytes of a request body. */
	readonly maxBodySize: number;
	/** Origins of pages that may read answers of HTTP and JSON-RPC, as browsers write them; `*`: all. Ours; empty: none. */
	readonly cors: readonly string[];
}

export interface JsonRpcConfig extends ThreeListeners {
	/** Heights between the bounds of a query of logs; 0 or less: any number. */
	readonly maxBlockRange: number;
	/** Alternatives of one topic; 0 or less: any number. */
	readonly maxSubTopics: number;
	/** Filters at a time on each server, the limits of later releases; 0 or less: any number. */
	readonly maxBlockFilters: number;
	readonly maxLogFilters: number;
	/** Calls in one batch; 0 or less: any number, as release 4.8.0 has it. */
	readonly maxBatchSize: number;
	/** Characters of an answer; the limit of later releases. */
	readonly maxResponseSize: number;
	/** Addresses of one filter; 0 or less: any number, as release 4.8.0 has it. */
	readonly maxAddresses: number;
	/** Bytes of a request body. */
	readonly maxBodySize: number;
	/** Whether Ethereum's libraries are answered as they expect it; else as by the network's node. Ours. */
	readonly lenient: boolean;
}

export interface RpcConfig extends ThreeListeners {
	readonly threads: number;
	readonly maxConcurrentCallsPerConnection: number;
	readonly flowControlWindow: number;
	/** Undefined: never closed. */
	readonly maxConnectionIdleMs: bigint | undefined;
	readonly maxConnectionAgeMs: bigint | undefined;
	/** Bytes of an inbound message. */
	readonly maxMessageSize: number;
	readonly maxHeaderListSize: number;
	readonly reflection: boolean;
	/** Peers that a broadcast needs; 0: none. */
	readonly minEffectiveConnection: number;
	/** Whether ids of broadcasts are remembered, and repetitions answered at once. */
	readonly transactionCache: boolean;
}

export interface BackupConfig {
	readonly priority: number;
	readonly port: number;
	readonly keepAliveIntervalMs: number;
	readonly members: readonly string[];
}

export interface MetricsConfig {
	/** The older meters: gRPC Monitor and `/monitor/getstatsinfo`. */
	readonly enabled: boolean;
	readonly prometheus: ListenerConfig;
}

const NEVER = 0x7fffffffffffffffn;

/**
 * Release 4.8.0 has no limits here; later ones have those of bodies and answers. They only keep a client from filling
 * the memory or taking all the time.
 */
const MAX_RPC_BODY = 4 << 20;
const MAX_RPC_RESPONSE = 25 << 20;
/** Libraries send batches of up to a thousand calls unless they are told otherwise. */
const MAX_BATCH = 1_000;
const MAX_ADDRESSES = 10_000;

export function readHttp(node: Section): HttpConfig {
	return {
		full: listener(node, "http.fullNodeEnable", true, "http.fullNodePort", 8090),
		solidity: listener(node, "http.solidityEnable", true, "http.solidityPort", 8091),
		pbft: listener(node, "http.PBFTEnable", true, "http.PBFTPort", 8092),
		maxConnections: node.int("maxHttpConnectNumber", 50),
		maxBodySize: readMaxMessageSize(node),
		cors: readOrigins(node, "http.cors"),
	};
}

/** @throws {ConfigError} for what no browser would send */
function readOrigins(node: Section, path: string): readonly string[] {
	const origins = node.texts(path);
	for (const origin of origins) {
		if (origin === "*" || (URL.canParse(origin) && new URL(origin).origin === origin)) continue;
		throw node.refuse(path, `must be a list of origins such as "https://wallet.example", not "${origin}"`);
	}
	return origins;
}

export function readJsonRpc(node: Section): JsonRpcConfig {
	return {
		full: listener(node, "jsonrpc.httpFullNodeEnable", false, "jsonrpc.httpFullNodePort", 8545),
		solidity: listener(node, "jsonrpc.httpSolidityEnable", false, "jsonrpc.httpSolidityPort", 8555),
		pbft: listener(node, "jsonrpc.httpPBFTEnable", false, "jsonrpc.httpPBFTPort", 8565),
		maxBlockRange: node.int("jsonrpc.maxBlockRange", 5000),
		maxSubTopics: node.int("jsonrpc.maxSubTopics", 1000),
		maxBlockFilters: node.int("jsonrpc.maxBlockFilterNum", 50_000),
		maxLogFilters: node.int("jsonrpc.maxLogFilterNum", 20_000),
		maxBatchSize: node.int("jsonrpc.maxBatchSize", MAX_BATCH),
		maxResponseSize: node.int("jsonrpc.maxResponseSize", MAX_RPC_RESPONSE),
		maxAddresses: node.int("jsonrpc.maxAddressSize", MAX_ADDRESSES),
		maxBodySize: node.int("jsonrpc.maxMessageSize", MAX_RPC_BODY),
		lenient: node.boolean("jsonrpc.lenient", false),
	};
}

export function readRpc(node: Section): RpcConfig {
	const age = node.long("rpc.maxConnectionAgeInMillis", NEVER);
	const idle = node.long("rpc.maxConnectionIdleInMillis", NEVER);
	return {
		full: listener(node, "rpc.enable", true, "rpc.port", 50051),
		solidity: listener(node, "rpc.solidityEnable", true, "rpc.solidityPort", 50061),
		pbft: listener(node, "rpc.PBFTEnable", true, "rpc.PBFTPort", 50071),
		threads: node.int("rpc.thread", Math.trunc((availableParallelism() + 1) / 2)),
		maxConcurrentCallsPerConnection: node.int("rpc.maxConcurrentCallsPerConnection", 0x7fffffff),
		flowControlWindow: node.int("rpc.flowControlWindow", 1_048_576),
		maxConnectionIdleMs: idle === NEVER ? undefined : idle,
		maxConnectionAgeMs: age === NEVER ? undefined : age,
		maxMessageSize: readMaxMessageSize(node),
		maxHeaderListSize: node.int("rpc.maxHeaderListSize", 8192),
		reflection: node.boolean("rpc.reflectionService", false),
		minEffectiveConnection: node.int("rpc.minEffectiveConnection", 1),
		transactionCache: node.boolean("rpc.coinCacheEnable", false),
	};
}

export function readBackup(node: Section): BackupConfig {
	return {
		priority: node.int("backup.priority", 0),
		port: node.intWithin("backup.port", 10001, 0, 65535),
		keepAliveIntervalMs: node.int("backup.keepAliveInterval", 3000),
		members: node.texts("backup.members"),
	};
}

export function readMetrics(node: Section): MetricsConfig {
	return {
		enabled: node.boolean("metricsEnable", false),
		prometheus: listener(node, "metrics.prometheus.enable", false, "metrics.prometheus.port", 9527),
	};
}

function readMaxMessageSize(node: Section): number {
	return node.int("rpc.maxMessageSize", 4_194_304);
}

function listener(
	node: Section,
	enable: string,
	enabled: boolean,
	portKey: string,
	port: number,
): ListenerConfig {
	return { enabled: node.boolean(enable, enabled), port: node.intWithin(portKey, port, 0, 65535) };
}
