/** A node's metric families with the network's names (protocol/configuration §4.5, recording ops/metrics). */

import type { NetworkName } from "../rules/chain-rules.js";
import type { Release } from "../rules/release.js";

type FamilyKind = "counter" | "gauge" | "histogram";

export interface Family {
	/** Name without the prefix. */
	readonly name: string;
	readonly kind: FamilyKind;
	readonly labels: readonly string[];
	/** `BRAND` is replaced by the network's name. */
	readonly help: string;
	/** Upper bounds of a histogram's buckets; absent: {@link BUCKETS}. */
	readonly buckets?: readonly number[];
	/** First release that exposes it; absent: all do. */
	readonly since?: Release;
	/** Only network that exposes it; absent: all do. */
	readonly network?: NetworkName;
}

/** Default bucket bounds of histograms, in seconds or bytes. */
export const BUCKETS: readonly number[] = [
	0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

const family = (kind: FamilyKind, name: string, help: string, ...labels: string[]): Family => ({
	name,
	kind,
	labels,
	help,
});

/**
 * All families exposed by the network's nodes. Some have no series here: this node has no lock to wait for,
 * and its cache evicts whole generations without knowing how much was in use. `error_info` counts log output
 * of the reference, and no recording shows what increments `internal_service_fail`. Those of peers (`p2p_*`,
 * `tcp_bytes`, `udp_bytes`, `ping_pong`, `block_fetch`, `block_receive_delay`, `block_process`,
 * `miner_latency`, `message_process`) are recorded by the peer network.
 */
export const FAMILIES = {
	transactions: family("counter", "txs_total", "BRAND  txs  info .", "type", "detail"),
	miner: family("counter", "miner_total", "BRAND  miner info .", "miner", "type"),
	forks: family("counter", "block_fork_total", "BRAND  block fork info .", "type"),
	peerErrors: family("counter", "p2p_error_total", "BRAND p2p error  info .", "type"),
	disconnects: family("counter", "p2p_disconnect_total", "BRAND p2p disconnect .", "type"),
	serviceFailures: family(
		"counter",
		"internal_service_fail_total",
		"internal Service fail.",
		"class",
		"method",
	),
	errors: family("counter", "error_info_total", "BRAND log statements at error type levels", "topic", "type"),
	activeSetChanges: {
		...family("counter", "sr_set_change_total", "BRAND changes of the active witnesses .", "action"),
		since: "4.8.2",
	},
	blockTransactions: {
		...family("histogram", "block_transaction_count", "BRAND transactions of a block ."),
		buckets: [0, 20, 50, 80, 100, 120, 140, 160, 180, 200, 230, 260, 300, 500, 2000, 5000, 10_000],
		since: "4.8.2",
	},
	blockPostQuantum: {
		...family(
			"histogram",
			"block_pq_transaction_count",
			"transactions of a block with post-quantum signatures.",
			"miner",
		),
		buckets: [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3000],
		network: "nile",
	},
	transactionFetchLatency: {
		...family("histogram", "tx_fetch_latency_seconds", "fetch transaction latency."),
		network: "nile",
	},
	handshakeLatency: {
		...family("histogram", "handshake_latency_seconds", "handshake latency of witnesses and relays."),
		network: "nile",
	},
	headHeight: family("gauge", "header_height", "header  height ."),
	headTime: family("gauge", "header_time", "header time ."),
	peers: family("gauge", "peers", "BRAND peers.size .", "type"),
	queueSize: family("gauge", "manager_queue_size", "BRAND  manager.queue.size .", "type"),
	httpLatency: family("histogram", "http_service_latency_seconds", "Http Service latency.", "url"),
	grpcLatency: family("histogram", "grpc_service_latency_seconds", "Grpc Service latency.", "endpoint"),
	jsonRpcLatency: family(
		"histogram",
		"jsonrpc_service_latency_seconds",
		"JsonRpc Service latency.",
		"method",
	),
	httpBytes: family("histogram", "http_bytes", "http_bytes traffic.", "url", "status"),
	tcpBytes: family("histogram", "tcp_bytes", "tcp_bytes traffic.", "type"),
	udpBytes: family("histogram", "udp_bytes", "udp_bytes traffic.", "type"),
	minerLatency: family("histogram", "miner_latency_seconds", "miner latency.", "miner"),
	minerDelay: family("histogram", "miner_delay_seconds", "miner delay time, actualTime - planTime.", "miner"),
	generateLatency: family(
		"histogram",
		"block_generate_latency_seconds",
		"generate block latency.",
		"address",
	),
	processLatency: family(
		"histogram",
		"block_process_latency_seconds",
		"process block latency for blocks of peers.",
		"sync",
	),
	pushLatency: family("histogram", "block_push_latency_seconds", "push block latency for Manager."),
	fetchLatency: family("histogram", "block_fetch_latency_seconds", "fetch block latency."),
	receiveDelay: family(
		"histogram",
		"block_receive_delay_seconds",
		"receive block delay time, receiveTime - blockTime.",
	),
	pingPong: family("histogram", "ping_pong_latency_seconds", "node  ping pong  latency."),
	transactionLatency: family(
		"histogram",
		"process_transaction_latency_seconds",
		"process transaction latency.",
		"type",
		"contract",
	),
	signatureLatency: family(
		"histogram",
		"verify_sign_latency_seconds",
		"verify sign latency for trx , block.",
		"type",
	),
	serviceLatency: family(
		"histogram",
		"internal_service_latency_seconds",
		"Internal Service latency.",
		"class",
		"method",
	),
	lockLatency: family("histogram", "lock_acquire_latency_seconds", "lock acquire latency.", "type"),
	transactionCache: family("gauge", "tx_cache", "BRAND tx cache info.", "type"),
	cacheHitRate: family("gauge", "guava_cache_hit_rate", "Hit rate of a guava cache.", "type"),
	cacheRequests: family("gauge", "guava_cache_request", "Request of a guava cache.", "type"),
	cacheEvictions: family("gauge", "guava_cache_eviction_count", "Eviction count of a guava cache.", "type"),
	databaseBytes: family("gauge", "db_size_bytes", "BRAND  db  size .", "type", "db", "level"),
	databaseFiles: family("gauge", "db_sst_level", "BRAND  db  files .", "type", "db", "level"),
	messageLatency: family("histogram", "message_process_latency_seconds", "process message latency.", "type"),
} as const satisfies Readonly<Record<string, Family>>;

export type FamilyName = keyof typeof FAMILIES;
