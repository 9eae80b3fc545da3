/** The node's peer network: assembles, starts and stops its parts. */

import { stat } from "node:fs/promises";
import { quietLog } from "../../diagnostics/quiet-log.js";
import { toHex } from "../../protocol/bytes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { NetworkView, PeerFacts } from "../api/context.js";
import { type CommittedBlock, eachBlock } from "../chain/observers.js";
import type { OpenChain } from "../chain/open-chain.js";
import type { Producer } from "../chain/packing.js";
import type { VerifyAhead } from "../chain/work-ahead.js";
import { loadConfig, type NodeConfig } from "../config/config.js";
import type { PrepareProofs } from "../shielded/proof-queue.js";
import { Backup } from "./backup/backup.js";
import type { Transport } from "./connection.js";
import { Discovery } from "./discovery/discovery.js";
import { peerFile } from "./discovery/peer-store.js";
import { DnsNodes } from "./dns/dns-nodes.js";
import type { NetworkEnvironment, NodeAddress, Timer } from "./environment.js";
import { guardedEnvironment } from "./guarded-environment.js";
import { meteredEnvironment, type PeerMeter } from "./metered-environment.js";
import { watchForPeers } from "./no-peers.js";
import { NodeChain, type SignatureAhead } from "./node-chain.js";
import { resolvePeers } from "./peer-hosts.js";
import { Application } from "./peers/application.js";
import type { Peer } from "./peers/peer.js";
import { type PeerSettings, PeerWorld } from "./peers/peer-world.js";
import type { SyncProgress } from "./peers/sync-requester.js";
import type { CandidateSource } from "./transport/candidates.js";
import { PeerTransport } from "./transport/peer-transport.js";
import { canonicalHost, isIpv4Literal, isIpv6Literal, NODE_ID_LENGTH } from "./wire/endpoint.js";

const PROGRESS_LOG_MS = 10_000;

interface NetworkLog {
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
}

/** The address that this node announces (protocol/peers §2.2). */
interface OwnAddress {
	/** Literal, or empty. */
	readonly ipv4: string;
	readonly ipv6: string;
}

const LOOPBACK = "127.0.0.1";
const ANY: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/**
 * The configured address, else the bound one, else that of a local interface. Peers see where our packets
 * come from anyway; no external service is queried.
 * @param external `node.discovery.external.ip`, or empty
 * @param bound address that listeners bind; undefined: every interface
 * @param lan addresses of this machine's interfaces, either may be empty
 */
function ownAddress(
	external: string,
	bound: string | undefined,
	lan: OwnAddress,
	wantsIpv6: boolean,
): OwnAddress {
	const named = [external, bound !== undefined && !ANY.has(bound) ? bound : ""];
	return {
		ipv4: named.find(isIpv4Literal) ?? (lan.ipv4 || LOOPBACK),
		ipv6: wantsIpv6 ? canonicalHost(named.find(isIpv6Literal) ?? lan.ipv6) : "",
	};
}

interface NetworkOptions {
	readonly environment: NetworkEnvironment;
	readonly config: NodeConfig;
	readonly open: OpenChain;
	/** Undefined: signatures are recovered when blocks are applied. */
	readonly pool: SignatureAhead | undefined;
	/** Checks a transaction's shielded proofs ahead of time; absent: during execution. */
	readonly prepare?: PrepareProofs | undefined;
	/** Verifies slow signatures on other threads; undefined: the chain verifies them when it receives the transaction. */
	readonly verify?: VerifyAhead | undefined;
	readonly producers: readonly Producer[];
	/** Address to bind and to dial from; undefined: every interface. */
	readonly host?: string | undefined;
	/** Addresses of this machine's interfaces; either may be empty. */
	readonly lan: OwnAddress;
	/** Where discovered nodes are stored; undefined: nowhere. */
	readonly dataDirectory: string | undefined;
	readonly log: NetworkLog;
	/** Receives errors that are bugs of this program. */
	readonly report: (error: unknown, where: string) => void;
	/** Checked before each peer's block is applied: true drops it, because the node stops. */
	readonly isAtEnd?: (() => boolean) | undefined;
	/** Undefined: metrics are off. */
	readonly meter?: PeerMeter | undefined;
}

/** The running network. */
export interface PeerNetwork extends NetworkView {
	/** Bound TCP port; 0 if it doesn't listen. */
	readonly port: number;
	/** The network's view of the chain. */
	readonly chain: NodeChain;
	/** Whether this node is the active one of its backup group. */
	readonly isMaster: boolean;
	/** Whether a peer is sending blocks that this node lacks. */
	readonly isReceiving: boolean;
	/** Sync progress; undefined: nothing is missing. */
	readonly progress: SyncProgress | undefined;
	/** Disconnects every peer. */
	stop(): Promise<void>;
}

const MINUTE_MS = 60_000;
/** Maximum bytes of blocks queued for applying: enough for two of the largest batches. */
const MAX_QUEUED_BYTES = 32 << 20;

/** The peer settings of the configuration, as the application layer uses them (protocol/peers §13). */
export function peerSettings(config: NodeConfig): PeerSettings {
	const { peers, unsolidifiedBlockCheck, maxUnsolidifiedBlocks, agreeNodeCount } = config.node;
	return {
		networkId: peers.networkId,
		release: config.node.release,
		network: config.node.network,
		maxConnections: peers.maxConnections,
		minConnections: peers.minConnections,
		minActiveConnections: peers.minActiveConnections,
		maxTransactionsPerSecond: peers.maxTps,
		maxBlocksPerSecond: peers.maxBlockInvPerSecond,
		summariesPerSecond: peers.rates.syncBlockChain,
		fetchesPerSecond: peers.rates.fetchInvData,
		disconnectsPerSecond: peers.rates.disconnect,
		maxRequestedBlocks: peers.maxPendingBlocks,
		maxWaitingTransactions: peers.maxTransactionCache,
		syncFetchBatch: peers.syncFetchBatchCount,
		fetchBlockTimeoutMs: peers.fetchBlockTimeoutMs,
		blockCacheTimeoutMs: Number(peers.blockCacheTimeoutMinutes) * MINUTE_MS,
		inactiveThresholdMs: peers.inactiveThresholdSeconds * 1000,
		eliminateAtRandom: peers.fullTcpDisconnect,
		effectiveCheck: peers.effectiveCheck,
		maxUnsolidified: unsolidifiedBlockCheck ? maxUnsolidifiedBlocks : undefined,
		isFastForward: config.run.fastForward,
		relayHosts: new Set(peers.fastForward.map(({ host }) => host)),
		maxRelayWitnesses: peers.maxFastForwardCount,
		quorum: agreeNodeCount,
		voteExpireBlocks: Number(config.committee.pBFTExpireNum ?? 20n),
		maxQueuedBytes: MAX_QUEUED_BYTES,
	};
}

/** Starts the network. If the port can't be bound, that is logged (protocol/configuration §1.5) and the node only dials. */
export async function startNetwork(given: NetworkOptions): Promise<PeerNetwork> {
	const options = await withAddresses(given);
	const { config, open, log, host, meter, report, pool, prepare, verify, isAtEnd } = options;
	const guarded = guardedEnvironment(options.environment, report);
	const environment = meter ? meteredEnvironment(guarded, meter) : guarded;
	const { peers } = config.node;
	const nodeId = environment.randomBytes(NODE_ID_LENGTH);
	const self = ownAddress(peers.externalIp, host, options.lan, peers.enableIpv6);
	const chain = new NodeChain({ open, report, pool, prepare, verify, isAtEnd });
	const stops: Stops = [() => chain.close()];
	const problem = (what: string) => (error: unknown) =>
		log.warn({ error: error instanceof Error ? error.message : String(error) }, what);

	const backup = startBackup(environment, options, self, stops);
	const dns = new DnsNodes(environment, {
		urls: peers.dnsTreeUrls,
		self,
		onProblem: (url, error) => log.warn({ url, error: String(error) }, "a list of nodes can't be read"),
	});
	stops.push(() => dns.stop());
	const candidates = new Candidates(dns);
	const active = new ActiveAddresses(config, self);
	const quiet = quietLog(withoutDetail(log), () => environment.now());
	const transport = new PeerTransport({
		environment,
		config: { ...peers, active: active.all },
		// No connection arrives before the transport starts, and by then the application exists.
		listener: {
			connected: (connection) => running.connected(connection),
			received: (connection, type, payload) => running.received(connection, type, payload),
			oversized: (connection, message) => running.oversized(connection, message),
			disconnected: (connection) => running.disconnected(connection),
		},
		candidates,
		self,
		host,
		nodeId,
		report: (fields, message) => {
			if (peers.printLog) quiet.info(fields, message);
		},
		pinged: meter && ((ms) => meter.pinged(ms)),
	});
	const world = new PeerWorld(
		environment,
		chain,
		peerSettings(config),
		peers.printLog ? quiet : { ...quiet, info: () => {} },
		options.producers,
		() => backup.isMaster,
		meter,
	);
	const running: Application = new Application(world, transport, {
		configured: () => active.all,
		relays: peers.fastForward,
		report,
	});
	running.start();
	stops.push(() => running.stop());
	stops.push(announceOwnBlocks(open, running));
	await startTransport(transport, peers.listenPort, problem);
	stops.push(() => transport.stop());
	const own = { ...self, port: transport.self.port, nodeId };
	candidates.discovery = await startDiscovery(environment, options, own, active.all, problem);
	stops.push(() => candidates.discovery?.stop());
	stops.push(followConfig(environment, config, { transport, running, active }, problem));
	for (const timer of [
		logProgress(environment, running, log),
		watchForPeers(environment, { ...peers, active: active.all }, () => countsOf(world, transport), log),
	]) {
		stops.push(() => timer.cancel());
	}
	const isMaster = (): boolean => backup.isMaster;
	return runningNetwork({ transport, world, running, chain, nodeId, self, isMaster, stops });
}

/** Resolves the configured hosts. */
async function withAddresses(options: NetworkOptions): Promise<NetworkOptions> {
	const { environment, config, log } = options;
	const peers = await resolvePeers(environment, config.node.peers, (host, error) =>
		log.warn({ host, error: String(error) }, UNKNOWN_HOST),
	);
	return { ...options, config: { ...config, node: { ...config.node, peers } } };
}

const UNKNOWN_HOST = "a configured host is not known, and left out";

type Stops = (() => Promise<void> | void)[];

/** Logs a failure. */
type Problem = (what: string) => (error: unknown) => void;

/** Dialable nodes, from discovery and DNS lists. */
class Candidates implements CandidateSource {
	discovery: Discovery | undefined;

	constructor(private readonly dns: DnsNodes) {}

	connectable(): ReturnType<CandidateSource["connectable"]> {
		return this.discovery?.connectable() ?? [];
	}

	dnsNodes(): ReturnType<CandidateSource["dnsNodes"]> {
		return this.dns.nodes();
	}

	get tableSize(): number {
		return this.discovery?.tableSize ?? 0;
	}
}

/** Configured addresses that are always dialed, without this node's own. */
class ActiveAddresses {
	private addresses: readonly NodeAddress[];

	constructor(
		{ node }: NodeConfig,
		private readonly self: OwnAddress,
	) {
		this.listenPort = node.peers.listenPort;
		this.addresses = this.withoutOwn(node.peers.active);
	}

	private readonly listenPort: number;

	get all(): readonly NodeAddress[] {
		return this.addresses;
	}

	replace(addresses: readonly NodeAddress[]): void {
		this.addresses = this.withoutOwn(addresses);
	}

	private withoutOwn(addresses: readonly NodeAddress[]): readonly NodeAddress[] {
		const hosts = [this.self.ipv4, this.self.ipv6, "127.0.0.1"];
		return addresses.filter(({ host, port }) => port !== this.listenPort || !hosts.includes(host));
	}
}

async function startTransport(transport: PeerTransport, port: number, problem: Problem): Promise<void> {
	try {
		await transport.start();
	} catch (error) {
		const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
		problem(`no peer can connect: port ${port} ${isTaken ? "is in use" : "can't be bound"}`)(error);
	}
}

/** Undefined if disabled in the configuration, or if it can't start. */
async function startDiscovery(
	environment: NetworkEnvironment,
	{ config, host, dataDirectory }: NetworkOptions,
	self: Parameters<typeof Discovery.start>[1]["self"],
	active: readonly NodeAddress[],
	problem: Problem,
): Promise<Discovery | undefined> {
	const { peers } = config.node;
	if (!peers.discovery || peers.listenPort === 0) return undefined;
	try {
		return await Discovery.start(environment, {
			networkId: peers.networkId,
			self,
			host,
			seeds: [...peers.seeds, ...active],
			store: peers.discoveryPersist && dataDirectory ? peerFile(dataDirectory) : undefined,
			onProblem: problem("the list of known nodes can't be kept"),
		});
	} catch (error) {
		problem("no nodes can be discovered")(error);
		return undefined;
	}
}

/** Delay before the configuration is first checked. */
const FIRST_RELOAD_MS = 10_000;

interface ReloadOptions {
	readonly environment: NetworkEnvironment;
	/** The configuration file. */
	readonly file: string;
	/** The preset it is based on. */
	readonly preset: NodeConfig["preset"];
	readonly periodSeconds: bigint;
	readonly transport: Pick<Transport, "trust">;
	/** Called with the nodes that are always to be dialed from now on. */
	readonly setActive: (active: readonly NodeAddress[]) => void;
	readonly onProblem: (error: unknown) => void;
	/** Called with hosts that can't be resolved. */
	readonly onUnknown: (host: string, error: unknown) => void;
}

/**
 * Applies changed active and passive nodes while the node runs (`node.dynamicConfig`, protocol/configuration
 * §1.4), by checking the file periodically.
 * @returns ends that
 */
function watchConfig(options: ReloadOptions): Timer {
	const { environment, file, preset, periodSeconds, transport, setActive, onProblem, onUnknown } = options;
	let seenMs: number | undefined;
	const look = async (): Promise<void> => {
		const { mtimeMs } = await stat(file);
		const isNew = seenMs === undefined || mtimeMs > seenMs;
		seenMs = mtimeMs;
		if (!isNew) return;
		const { active, passive } = await resolvePeers(
			environment,
			loadConfig(file, { preset }).node.peers,
			onUnknown,
		);
		for (const { host } of passive) transport.trust(host);
		setActive(active);
	};
	return environment.every(Number(periodSeconds) * 1000, () => void look().catch(onProblem), FIRST_RELOAD_MS);
}

/** Periodically rereads the configured addresses, if enabled. @returns ends that */
function followConfig(
	environment: NetworkEnvironment,
	config: NodeConfig,
	{ transport, running, active }: Pick<NetworkParts, "transport" | "running"> & { active: ActiveAddresses },
	problem: Problem,
): () => void {
	const { reloadSeconds } = config.node.peers;
	if (reloadSeconds === undefined) return () => {};
	const timer = watchConfig({
		environment,
		file: config.file,
		preset: config.preset,
		periodSeconds: reloadSeconds,
		transport,
		setActive: (addresses) => {
			active.replace(addresses);
			running.configuredChanged();
		},
		onProblem: problem("the configuration can't be read again"),
		onUnknown: (host, error) => problem(`${UNKNOWN_HOST}: ${host}`)(error),
	});
	return () => timer.cancel();
}

interface NetworkParts {
	readonly transport: PeerTransport;
	readonly world: PeerWorld;
	readonly running: Application;
	readonly chain: NodeChain;
	readonly nodeId: Uint8Array;
	readonly self: OwnAddress;
	readonly isMaster: () => boolean;
	readonly stops: Stops;
}

/**
 * A peer as shown by the node's servers (protocol/http-endpoints §5.1).
 * @param world tells when something was, in milliseconds since 1970, by how long ago it is
 */
function peerFacts(peer: Peer, world: Pick<PeerWorld, "now" | "wallClock" | "departures">): PeerFacts {
	const { connection, bothHave, lastListed, toFetch } = peer;
	return {
		host: connection.remote.host,
		outgoing: connection.outgoing,
		needSyncFromPeer: peer.needSyncFromPeer,
		needSyncFromUs: peer.needSyncFromUs,
		averageLatencyMs: connection.averageLatencyMs,
		connectTimeMs: BigInt(Math.trunc(connection.connectTimeMs)),
		lastBlockUpdateTimeMs: BigInt(Math.trunc(world.wallClock() - (world.now() - peer.bothHaveMs))),
		disconnected: !connection.isOpen,
		disconnectTimes: world.departures(connection.remote.host),
		localDisconnectReason: peer.localReason,
		remoteDisconnectReason: peer.remoteReason,
		headBlockBoth: `Num:${bothHave.number},ID:${toHex(bothHave.id)}`,
		lastSyncBlock: lastListed ? `Num:${lastListed.number}` : "",
		remain: peer.needSyncFromPeer ? peer.remain : peer.remainForPeer,
		blocksInProcess: peer.inProcess.size,
		requestedBlocks: peer.requested.size,
		blocksToFetch: toFetch.length,
		nextToFetch: toFetch.front?.number ?? -1n,
	};
}

function runningNetwork(parts: NetworkParts): PeerNetwork {
	const { transport, world, running, chain, nodeId, self, isMaster, stops } = parts;
	return {
		ownHost: self.ipv4,
		port: transport.boundPort,
		chain,
		nodeId: toHex(nodeId),
		peers: () => world.peers.map((peer) => peerFacts(peer, world)),
		connectableNodes: () => transport.connectable(),
		announce: (transaction: SignedTransaction) => running.advertisement.announceOwn(transaction),
		get tableSize() {
			return transport.tableSize;
		},
		get isMaster() {
			return isMaster();
		},
		get isReceiving() {
			return world.isReceiving;
		},
		get progress() {
			return running.requester.progress;
		},
		stop: async () => {
			for (const stop of stops.splice(0).reverse()) await stop();
		},
	};
}

/** Announces our own blocks before they are applied here (protocol/peers §8.5). */
function announceOwnBlocks({ chain }: OpenChain, { advertisement }: Application): () => void {
	return chain.observe({ produced: (block) => advertisement.broadcastBlock(block) });
}

/** Hot standby group of a witness; starts with the first fresh block (protocol/peers §12). */
function startBackup(
	environment: NetworkEnvironment,
	{ config, open, host, log }: NetworkOptions,
	self: OwnAddress,
	stops: (() => Promise<void> | void)[],
): Backup {
	const backup = new Backup(environment, {
		...config.node.backup,
		ownHost: self.ipv4,
		host,
		onChange: (status) => log.info({ status }, "backup group"),
		onProblem: (error) => log.warn({ error: String(error) }, "the backup port can't be bound"),
		onUnknown: (member, error) => log.warn({ member, error: String(error) }, "a backup member is not known"),
	});
	stops.push(() => backup.stop());
	const committed = ({ block }: CommittedBlock): void => backup.applied(Number(block.timestampMs));
	stops.push(open.chain.observe(eachBlock({ committed })));
	return backup;
}

const countsOf = ({ peers }: PeerWorld, transport: PeerTransport) => ({
	peers: peers.length,
	connectable: transport.connectable().length,
});

function withoutDetail(log: NetworkLog) {
	return {
		debug: () => {},
		info: (fields: object, message: string) => log.info(fields, message),
		warn: (fields: object, message: string) => log.warn(fields, message),
	};
}

function logProgress(environment: NetworkEnvironment, { requester }: Application, log: NetworkLog) {
	let before: { readonly head: bigint; readonly ms: number } | undefined;
	return environment.every(PROGRESS_LOG_MS, () => {
		const { progress } = requester;
		if (!progress) {
			before = undefined;
			return;
		}
		const ms = environment.now();
		const { head, target } = progress;
		const rate = before ? (Number(head - before.head) * 1000) / (ms - before.ms) : undefined;
		const secondsLeft = rate ? Math.round(Number(target - head) / rate) : undefined;
		const fields = { head: Number(head), target: Number(target), blocksPerSecond: rate && Math.round(rate) };
		log.info({ ...fields, secondsLeft }, "synchronising");
		before = { head, ms };
	});
}
