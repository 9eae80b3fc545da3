/** Metrics of a node, if configured: Prometheus families and the legacy meters. */

import { toBase58Check } from "../../protocol/address.js";
import type { SignedBlock } from "../../protocol/block.js";
import { fromHex, toKey } from "../../protocol/bytes.js";
import { ReturnResponse_code } from "../../protocol/messages.js";
import type { NetworkView } from "../api/context.js";
import type { DoubleSigner, NodeMeters } from "../api/meters.js";
import type { ApiObserver } from "../api/observer.js";
import type { Chain } from "../chain/chain.js";
import { eachBlock, type TimingListener } from "../chain/observers.js";
import type { NodeConfig } from "../config/config.js";
import { activeWitnesses } from "../consensus/slots.js";
import type { EventCounts } from "../events/deliveries.js";
import type { FaultWatch } from "../faults/fault-watch.js";
import type { HistoryReader } from "../history/history-index.js";
import type { PeerMeter } from "../network/metered-environment.js";
import type { StateDatabase } from "../state/state-database.js";
import {
	gaugesOf,
	registerAuditGauges,
	registerDisagreements,
	registerEventGauges,
	registerHistoryGauges,
	registerOperatorGauges,
	registerProducers,
	registerStateHashGauges,
} from "./gauges.js";
import { COUNTED_SERVERS, Meters } from "./meters.js";
import { startMetricsServer } from "./metrics-server.js";
import { type GaugeReader, MetricRegistry } from "./registry.js";

interface MetricsOptions {
	readonly config: NodeConfig;
	readonly chain: Chain;
	readonly database: StateDatabase;
	readonly network: NetworkView;
	/** Called at each scrape; absent: the node publishes no events. */
	readonly events?: (() => EventCounts | undefined) | undefined;
	/** Absent on a development chain. */
	readonly faults?: Pick<FaultWatch, "found" | "first"> | undefined;
	/** Called at each scrape; absent: double-signing witnesses are not detected. */
	readonly doubleSigners?: (() => readonly DoubleSigner[]) | undefined;
	/** Called at each scrape; absent: this node isn't compared with another one. */
	readonly audit?: Parameters<typeof registerAuditGauges>[2] | undefined;
	/** Absent: the node has no history by account and contract. */
	readonly history?: HistoryReader | undefined;
	/** Undefined for an in-memory chain. */
	readonly dataDirectory?: string | undefined;
	/** Whether the last slot was missed because the remote signer gave no signature. */
	readonly signerAway: () => boolean;
	/** Blocks with a key of the node or its signer that neither made, by witness in Base58Check. */
	readonly madeElsewhere: () => ReadonlyMap<string, number>;
	/** Witnesses for which the node makes blocks. */
	readonly producers: () => readonly Uint8Array[];
	/** Milliseconds. */
	readonly clock: () => bigint;
	/** Monotonic milliseconds. */
	readonly now: () => number;
	readonly report: (error: unknown, where: string) => void;
}

export interface NodeMetrics {
	readonly observer: ApiObserver;
	readonly peers: PeerMeter;
	/** Undefined: `node.metricsEnable` is off. */
	meters(): NodeMeters | undefined;
	/** Port of the Prometheus endpoint; undefined without one. */
	readonly port: number | undefined;
	close(): Promise<void>;
}

/** Labels of counted broadcast rejections; others are not counted. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
	[ReturnResponse_code.SIGERROR, "sig"],
	[ReturnResponse_code.TAPOS_ERROR, "tapos"],
	[ReturnResponse_code.TRANSACTION_EXPIRATION_ERROR, "expired"],
	[ReturnResponse_code.DUP_TRANSACTION_ERROR, "dup"],
	[ReturnResponse_code.TOO_BIG_TRANSACTION_ERROR, "big"],
	[ReturnResponse_code.OTHER_ERROR, "error"],
]);

/** Starts counting; rejects with a {@link PortError} if the port can't be bound. */
export async function startMetrics(options: MetricsOptions): Promise<NodeMetrics> {
	const { config, chain, database, network, clock, now, report } = options;
	const { enabled, prometheus } = config.node.metrics;
	const registry = prometheus.enabled
		? new MetricRegistry(config.node.dialect, config.node, clock, (set) => {
				const { properties } = chain.state;
				set("headHeight", Number(properties.headNumber));
				set("headTime", Number(properties.headTimestampMs));
				const { pool } = chain;
				set("queueSize", pool.queued - pool.waiting, { type: "pending" });
				set("queueSize", pool.waiting, { type: "repush" });
				set("queueSize", pool.size - pool.queued, { type: "popped" });
				// This node has no such queue.
				set("queueSize", 0, { type: "queued" });
				setPeers(network, (type, count) => set("peers", count, { type }));
				setDatabase(database, set);
			})
		: undefined;
	if (registry) registerOwnFamilies(registry, options);
	const meters = enabled ? new Meters(() => performance.now()) : undefined;
	const stops = [watchChain(chain, clock, registry, meters)];
	const server =
		registry && (await startMetricsServer(registry, prometheus.port, prometheus.host, now, report));
	return {
		observer: apiObserver(registry, meters),
		peers: peerMeter(registry, meters),
		meters: () => meters && withPeers(meters.values, network),
		port: server?.port,
		close: async () => {
			for (const stop of stops) stop();
			await server?.close();
		},
	};
}

/** All stores share one LevelDB; its cache of decoded values counts for each. */
function setDatabase(database: StateDatabase, set: Parameters<GaugeReader>[0]): void {
	for (const { store, reads, misses } of database.cacheUse) {
		set("cacheRequests", reads, { type: store });
		set("cacheHitRate", (reads - misses) / reads, { type: store });
	}
	for (const { level, files, bytes } of database.diskLevels) {
		const labels = { type: "LEVELDB", db: "database", level: String(level) };
		set("databaseBytes", bytes, labels);
		set("databaseFiles", files, labels);
	}
}

function setPeers(network: NetworkView, set: (type: string, count: number) => void): void {
	const peers = network.peers();
	const outgoing = peers.filter((peer) => peer.outgoing).length;
	set("all", peers.length);
	set("active", outgoing);
	set("passive", peers.length - outgoing);
	set("valid", peers.filter((peer) => !peer.needSyncFromPeer && !peer.needSyncFromUs).length);
}

/** Connections of the legacy meters are read at query time. */
function withPeers(values: NodeMeters, network: NetworkView): NodeMeters {
	const peers = network.peers();
	const valid = peers.filter((peer) => !peer.needSyncFromPeer && !peer.needSyncFromUs).length;
	return { ...values, connections: peers.length, validConnections: valid };
}

function peerMeter(registry: MetricRegistry | undefined, meters: Meters | undefined): PeerMeter {
	return {
		bytes: (protocol, direction, count) => {
			registry?.record(protocol === "tcp" ? "tcpBytes" : "udpBytes", count, { type: direction });
			meters?.traffic(protocol, direction, count);
		},
		processed: (type, ms) => registry?.record("messageLatency", ms / 1000, { type }),
		disconnected: (reason) => {
			registry?.count("disconnects", { type: reason });
			meters?.disconnected(reason);
		},
		failed: (kind) => {
			registry?.count("peerErrors", { type: kind });
			meters?.protocolError();
		},
		blockFetched: (ms) => registry?.record("fetchLatency", ms / 1000),
		transactionFetched: (ms) => registry?.record("transactionFetchLatency", ms / 1000),
		greeted: (ms) => registry?.record("handshakeLatency", ms / 1000),
		blockReceived: (delayMs) => {
			registry?.record("receiveDelay", delayMs / 1000);
			meters?.blockReceived(delayMs);
		},
		blockJudged: (block, delayMs) => {
			registry?.record("minerLatency", delayMs / 1000, { miner: toBase58Check(block.witness) });
			meters?.blockJudged(block, delayMs);
		},
		blockTaken: ({ transactions }, inSync, ms) => {
			registry?.record("processLatency", ms / 1000, { sync: String(inSync) });
			if (transactions.length > 0)
				registry?.count("transactions", { type: "success", detail: "success" }, transactions.length);
			meters?.blockTaken(transactions.length);
		},
		pinged: (ms) => registry?.record("pingPong", ms / 1000),
	};
}

function apiObserver(registry: MetricRegistry | undefined, meters: Meters | undefined): ApiObserver {
	return {
		answered: (request) => {
			meters?.answered(request);
			if (!registry) return;
			const { server, path, status, bytes, ms } = request;
			if (path !== undefined) registry.record("httpLatency", ms / 1000, { url: path });
			if (!COUNTED_SERVERS.test(server)) return;
			registry.record("httpBytes", bytes, { url: path ?? "undefined", status: String(status) });
		},
		called: (kind, method, ms) => {
			if (kind === "grpc") {
				meters?.called(method);
				registry?.record("grpcLatency", ms / 1000, { endpoint: method });
			} else registry?.record("jsonRpcLatency", ms / 1000, { method });
		},
		refused: (method) => registry?.show("jsonRpcLatency", { method }),
		worked: (endpoint, ms) => {
			for (const [className, method] of SERVICES.get(endpoint) ?? [])
				registry?.record("serviceLatency", ms / 1000, { class: className, method });
		},
		broadcast: (code) => {
			const detail = REFUSALS.get(code);
			if (detail !== undefined) registry?.count("transactions", { type: "fail", detail });
		},
	};
}

type ServiceCall = readonly [className: string, method: string];

const GET_NOW_BLOCK: ServiceCall = ["Wallet", "getNowBlock"];
const GET_BLOCK: ServiceCall = ["Wallet", "getBlockCapsuleByNum"];
const CREATE: ServiceCall = ["Wallet", "createTransactionCapsule"];
const BROADCAST: ServiceCall = ["Wallet", "broadcastTransaction"];
const CONSTANT_CALL: ServiceCall = ["Wallet", "triggerConstantContract"];

/** Services that the network's nodes count for some endpoints (recording ops/metrics). */
const SERVICES: ReadonlyMap<string, readonly ServiceCall[]> = new Map([
	["getaccount", [["Wallet", "getAccount"]]],
	["getnowblock", [GET_NOW_BLOCK]],
	["getblockbynum", [GET_BLOCK]],
	["gettransactionbyid", [["Wallet", "getTransactionById"]]],
	["createtransaction", [CREATE]],
	["broadcasttransaction", [BROADCAST]],
	["broadcasthex", [BROADCAST]],
	["triggerconstantcontract", [CREATE, CONSTANT_CALL]],
	["getnodeinfo", [["NodeInfoService", "getNodeInfo"]]],
	["eth_blockNumber", [GET_NOW_BLOCK]],
	["eth_call", [CREATE, CONSTANT_CALL]],
	// Both return the id of the genesis block.
	["eth_chainId", [GET_BLOCK]],
	["net_version", [GET_BLOCK]],
]);

/** Counts further blocks that a witness signed for the same number. */
function countDoubleSigners(registry: MetricRegistry, read: () => readonly DoubleSigner[]): void {
	const counted = new Map<string, number>();
	registry.watch(() => {
		for (const { witness, times } of read()) {
			const miner = toBase58Check(fromHex(witness));
			registry.count("miner", { miner, type: "dup" }, times - (counted.get(witness) ?? 0));
			counted.set(witness, times);
		}
	});
}

/** Keys of the active witnesses. */
const activeSet = (chain: Chain): ReadonlySet<string> => new Set(activeWitnesses(chain.state).map(toKey));

/** Counts chain events. @returns stops counting */
function watchChain(
	chain: Chain,
	clock: () => bigint,
	registry: MetricRegistry | undefined,
	meters: Meters | undefined,
): () => void {
	const missed = new Map<string, bigint>();
	const countMissed = (): void => {
		for (const address of chain.state.witness.keys()) {
			const total = chain.state.witness.get(address)?.totalMissed ?? 0n;
			const before = missed.get(toKey(address));
			missed.set(toKey(address), total);
			if (before !== undefined && total <= before) continue;
			// Starts at 0: Prometheus sees no increase in a series whose first sample is already counted.
			const lost = Number(total - (before ?? total));
			registry?.count("miner", { miner: toBase58Check(address), type: "miss" }, lost);
		}
	};
	countMissed();
	for (const type of ["all", "fail"]) registry?.count("forks", { type }, 0);
	let active = activeSet(chain);
	const countActiveSet = (to: MetricRegistry): void => {
		const before = active;
		active = activeSet(chain);
		for (const address of active) if (!before.has(address)) to.count("activeSetChanges", { action: "add" });
		for (const address of before)
			if (!active.has(address)) to.count("activeSetChanges", { action: "remove" });
	};
	let known = 0;
	if (registry) {
		registry.watch((set) => {
			set("transactionCache", known, { type: "count" });
			// Lookups use the full transaction id, so there are no false positives.
			set("transactionCache", 0, { type: "fpp" });
		});
	}
	const times: TimingListener = registry
		? {
				authorized: (ms) => registry.record("signatureLatency", ms / 1000, { type: "trx" }),
				executed: (transaction, inBlock, ms) =>
					registry.record("transactionLatency", ms / 1000, {
						type: inBlock ? "block" : "trx",
						contract: transaction.type?.name ?? "UNRECOGNIZED",
					}),
			}
		: {};
	const ignore = chain.observers.timings.listen({
		...times,
		packed: ({ witness }, ms) =>
			registry?.record("generateLatency", ms / 1000, { address: toBase58Check(witness) }),
		pushed: ({ timestampMs, witness }, push, ms) => {
			if (push.kind !== "head") return;
			if (push.isReorg) {
				registry?.count("forks", { type: "all" });
				meters?.reorg();
			} else registry?.record("pushLatency", ms / 1000);
			meters?.pushed(ms);
			if (push.origin !== "own") return;
			const miner = toBase58Check(witness);
			registry?.record("minerDelay", Number(clock() - timestampMs) / 1000, { miner });
		},
		reorgFailed: () => {
			for (const type of ["all", "fail"]) registry?.count("forks", { type });
			meters?.reorgFailed();
		},
	});
	const isNile = chain.environment.rules.network === "nile";
	const countPostQuantum = ({ transactions }: SignedBlock) =>
		transactions.filter(({ postQuantum }) => postQuantum.length > 0).length;
	const unobserve = chain.observe({
		refused: ({ number }, { message }) => meters?.blockRefused(number, message),
		...eachBlock({
			committed: ({ block }) => {
				const miner = toBase58Check(block.witness);
				registry?.count("miner", { miner, type: "success" });
				countMissed();
				if (registry) countActiveSet(registry);
				registry?.record("blockTransactions", block.transactions.length);
				if (registry && isNile) registry.record("blockPostQuantum", countPostQuantum(block), { miner });
				known += block.transactions.length;
			},
		}),
	});
	return () => {
		ignore();
		unobserve();
	};
}

/** Families that the network's node doesn't have. */
function registerOwnFamilies(metrics: MetricRegistry, options: MetricsOptions): void {
	const { config, chain, database, faults, doubleSigners, audit, events, history } = options;
	const place = [metrics.registry, config.node.dialect] as const;
	gaugesOf(...place, "")(
		"chain_observer_failures",
		"Exceptions of parts of the node that follow the chain.",
		() => chain.observers.failed,
	);
	if (faults) registerDisagreements(...place, faults);
	if (doubleSigners) countDoubleSigners(metrics, doubleSigners);
	if (audit) registerAuditGauges(...place, audit);
	if (events) registerEventGauges(...place, events);
	if (history) registerHistoryGauges(...place, history);
	registerOperatorGauges(...place, () => chain.state, options.dataDirectory, options.signerAway);
	registerProducers(...place, options.producers, options.madeElsewhere);
	if (database.followedHash)
		registerStateHashGauges(...place, database.followedHash, chain.environment.rules.genesisId);
}
