/** The node: the only place that wires the rooms together, starts them and stops them. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { quietReport } from "../diagnostics/quiet-log.js";
import { sourceTrace } from "../diagnostics/stack-trace.js";
import { setAddressPrefix } from "../protocol/address.js";
import { toHex } from "../protocol/bytes.js";
import { useFastHashing } from "../protocol/hash.js";
import { Broadcaster } from "./api/broadcast.js";
import type { ApiNode, NetworkView, ServerKind, ShieldedWork } from "./api/context.js";
import type { GrpcPort } from "./api/grpc/grpc-servers.js";
import { startHttpServers } from "./api/http-servers.js";
import type { JsonRpcPort } from "./api/jsonrpc/servers.js";
import { REPLAY_FOLDER } from "./backfill/messages.js";
import type { Producer } from "./chain/chain.js";
import { eachBlock } from "./chain/observers.js";
import type { OpenChain } from "./chain/open-chain.js";
import { stopCondition } from "./chain/stop-condition.js";
import type { NodeConfig, ShutdownConfig } from "./config/config.js";
import { createContractMachine } from "./contract-runner.js";
import type { Development } from "./development/development.js";
import { isMarked, markDevelopmentDirectory, refuseDevelopmentDirectory } from "./development/directory.js";
import type { EventCounts } from "./events/deliveries.js";
import { ContractSources } from "./history/contract-sources.js";
import { LateNetwork } from "./late-network.js";
import type { NodeMetrics } from "./metrics/metrics.js";
import type { PeerNetwork } from "./network/network.js";
import type { PeerMeter } from "./network/peer-meter.js";
import { createApiNode, isolatedNetwork } from "./node-api.js";
import type { RunningBackfill } from "./node-backfill.js";
import {
	type DevelopmentServers,
	developmentControl,
	developmentMethodsBeside,
	SwitchedLog,
	startGateway,
	startSealer,
	writingMachine,
} from "./node-development.js";
import type { RunningEvents } from "./node-events.js";
import type { NodeLog } from "./node-log.js";
import { logReorgs, watchShielded, watchVersions } from "./node-notices.js";
import { loadFork, openChain } from "./open-node-chain.js";
import { SlotProducer, type SlotProducerOptions } from "./production/slot-producer.js";
import { LostSlotError } from "./rules/errors.js";
import {
	LateShieldedSupport,
	loadShieldedSupport,
	openShieldedWork,
	type ShieldedSupport,
} from "./shielded-support.js";
import { installRecoverEngine } from "./signatures/engine.js";
import type { Simulator } from "./simulation/simulator.js";
import { loadLevelDatabase } from "./state/database.js";
import type { TraceRunner } from "./tracing/trace-runner.js";
import type { ContractMachine } from "./vm/contract-machine.js";

export interface NodeOptions {
	readonly config: NodeConfig;
	/** Undefined: the chain lives in memory. */
	readonly dataDirectory: string | undefined;
	/** What shielded transactions are built with for clients; absent: the process's randomness, and no proofs. */
	readonly shieldedWork?: ShieldedWork | undefined;
	/** Keys that produce blocks; empty: the node only follows. */
	readonly producers: readonly Producer[];
	/** A development chain instead of a network; its `config` is the one above. */
	readonly development?: Development | undefined;
	/** Address that servers bind; undefined: every interface. */
	readonly host?: string | undefined;
	readonly log: NodeLog;
	/** Milliseconds since 1970; the wall clock if absent. */
	readonly clock?: () => bigint;
	/** Milliseconds of a clock that only goes forward: for whatever lasts. That of the process if absent. */
	readonly monotonicClock?: () => number;
	/** Contracts that run outside signed blocks end after the chain's CPU time; off under `--debug`. Default: on. */
	readonly limitTime?: boolean;
}

export type PortName = "gateway" | "peer" | "events" | ServerKind | JsonRpcPort | GrpcPort | "metrics";
export type NodePorts = Readonly<Partial<Record<PortName, number>>>;

export interface RunningNode {
	/** 64 hexadecimal digits. */
	readonly genesisId: string;
	/** Bound ports of the servers that run. */
	readonly ports: NodePorts;
	readonly open: OpenChain;
	/** What its owner stores of contracts. */
	readonly sources: ContractSources;
	/** Undefined: the configuration doesn't ask for it. */
	readonly tracing: TraceRunner | undefined;
	readonly simulator: Simulator | undefined;
	/** Undefined: this node has no peers. */
	readonly peers: PeerNetwork | undefined;
	/** Which library checks signatures: `native`, `wasm` or `noble`. */
	readonly signatureEngine: string;
	/** Resolves when the node can't go on; the reason is what its operator must know. */
	readonly failure: Promise<Error>;
	/** Resolves when the node has come to the block at which its configuration stops it. */
	readonly finished: Promise<void>;
	/** Stops servers and production, writes the state, releases the directory. */
	close(): Promise<void>;
}

/**
 * Loads what is compiled, the hash first: the system's other threads compile it while this one loads the rest.
 * @returns the name of what recovers signatures
 */
async function loadEngines(hasDatabase: boolean): Promise<string> {
	const hashing = useFastHashing();
	await setImmediate();
	const signatureEngine = installRecoverEngine();
	if (hasDatabase) await loadLevelDatabase();
	await hashing;
	return signatureEngine;
}

/**
 * Starts a node; resolves once every listener is bound.
 * @throws {DatabaseError | LogDamagedError | PortError | DevelopmentMarkError | ConfigError} with one sentence; nothing stays open
 * @throws {AlreadyThereError} if the chain is where the configuration stops the node
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
	const { config, dataDirectory, development } = options;
	const log = development ? new SwitchedLog(options.log) : options.log;
	const wallClock = options.clock ?? (() => BigInt(Date.now()));
	const monotonicClock = options.monotonicClock ?? (() => performance.now());
	development?.schedule.follow(wallClock);
	const clock = development?.schedule.now ?? wallClock;
	setAddressPrefix(config.net.addressPrefix);
	const [shielded, signatureEngine] = await Promise.all([
		isNewDevelopment(options)
			? new LateShieldedSupport()
			: loadShieldedSupport(config, development !== undefined),
		loadEngines(dataDirectory !== undefined),
	]);
	if (dataDirectory && !development) refuseDevelopmentDirectory(dataDirectory);

	const failure = promised<Error>();
	const finished = promised<void>();
	// A fault that a stranger has found can be repeated at will.
	const report: Report = quietReport((error, where) => {
		log.error({ where, error: sourceTrace(error) }, "internal error");
	}, monotonicClock);
	const machine = createContractMachine(
		config,
		options.limitTime ?? true,
		development?.console.hear,
		shielded?.proofs,
	);
	const fork = await loadFork(options);
	const open = await openChain(
		options,
		{ machine, shielded, fork, log, report, monotonicClock },
		failure.resolve,
	);
	const stops: Stops = [() => fork?.close(), () => open.close(), () => shielded?.close?.()];
	const stopAll = async (): Promise<void> => {
		for (const stop of stops.splice(0).reverse()) await stop();
	};
	try {
		if (development && dataDirectory) {
			markDevelopmentDirectory(dataDirectory, toHex(open.rules.genesisId), development.options);
		}
		const isAtEnd = endOf(open, config.node.shutdown, log, finished.resolve);
		const clocks = { clock, monotonicClock };
		const core = { options, open, machine, shielded, log, ...clocks, report, stops, isAtEnd, backfill: {} };
		const tracing = await loadTracing(core);
		const executors = { tracing, simulator: await loadSimulator(core) };
		const { ports, peers, sources } = await startServices(core, executors);
		await fillInHistory(core);
		if (shielded instanceof LateShieldedSupport) {
			shielded
				.load(() => loadShieldedSupport(config, true))
				.catch((error: unknown) => report(error, "shielded proofs"));
		}
		return {
			...executors,
			peers,
			genesisId: toHex(open.rules.genesisId),
			ports,
			open,
			sources,
			signatureEngine,
			failure: failure.promise,
			finished: finished.promise,
			close: stopAll,
		};
	} catch (error) {
		await stopAll();
		throw error;
	}
}

/** Whether a development chain has no blocks yet that ask for proofs, and no parameters that may be wrong. */
const isNewDevelopment = ({ config, development, dataDirectory }: NodeOptions): boolean =>
	development !== undefined &&
	config.node.shielded.parameters === undefined &&
	!(dataDirectory && isMarked(dataDirectory));

/** What replays blocks is loaded only where the history of the state may lack some. */
async function fillInHistory({ options, open, log, report, stops, backfill }: NodeCore): Promise<void> {
	const { config, dataDirectory, development } = options;
	if (dataDirectory === undefined || development) return;
	if (!open.backfillable() && !existsSync(join(dataDirectory, REPLAY_FOLDER))) return;
	const { startBackfill } = await import("./node-backfill.js");
	backfill.running = await startBackfill({ open, config, dataDirectory, log, report });
	stops.push(() => backfill.running?.stop());
}

/** A promise, and what resolves it. */
function promised<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
	let resolve: (value: T) => void = () => {};
	const promise = new Promise<T>((resolved) => {
		resolve = resolved;
	});
	return { promise, resolve };
}

/** An opened chain, and what everything that runs on it shares. */
interface NodeCore {
	readonly options: NodeOptions;
	readonly open: OpenChain;
	readonly machine: ContractMachine;
	readonly shielded: ShieldedSupport | undefined;
	readonly log: NodeLog;
	readonly clock: () => bigint;
	readonly monotonicClock: () => number;
	readonly report: Report;
	readonly stops: Stops;
	readonly isAtEnd: (() => boolean) | undefined;
	/** Filling in the history of the state, once it has begun. */
	readonly backfill: { running?: RunningBackfill | undefined };
}

/** What executes for clients beside the chain; undefined: not on this node. */
interface Executors {
	readonly tracing: TraceRunner | undefined;
	readonly simulator: Simulator | undefined;
}

/** Starts production, servers and peers, in the order in which they need each other. */
async function startServices(
	core: NodeCore,
	executors: Executors,
): Promise<Pick<RunningNode, "ports" | "peers" | "sources">> {
	const { options, open, machine, shielded, log, clock, monotonicClock, report, stops } = core;
	const { config, development } = options;
	let ports: NodePorts = {};
	let peers: PeerNetwork | undefined;
	const events = await loadEvents(core);
	const eventsPort = events?.port === undefined ? {} : { events: events.port };
	const isMaster = (): boolean => peers?.isMaster ?? true;
	const isReceiving = (): boolean => peers?.isReceiving ?? false;
	const sources = new ContractSources(open);
	const sealer = development && (await startSealer(open, development, log, report, stops, sources));
	if (!development && options.producers.length > 0) {
		startProducer(open, options, { clock, monotonicClock, isMaster, isReceiving }, report, stops);
	}
	executeWaitingInTurns(open, report);
	logReorgs(open, log);
	watchVersions(open, log);
	const shieldedWork = options.shieldedWork ?? openShieldedWork(config, development !== undefined, stops);
	const shieldedWarning = watchShielded(open, config, log);
	const network = new LateNetwork(isolatedNetwork(toHex(open.rules.genesisId).repeat(2)));
	const history = await loadHistory(core);
	const metrics = await startCounting(core, network, () => events?.counts, history);
	const own = development ? [development.producer] : options.producers;
	const api = createApiNode({
		open,
		history,
		sources,
		config,
		clock,
		monotonicClock,
		machine: development ? writingMachine(machine, development, log, report) : machine,
		...executors,
		network,
		ownWitnesses: own.map(({ witness }) => witness),
		metrics,
		isProducing: isMaster,
		confirmedNumber: () => peers?.chain.confirmedNumber ?? 0n,
		submitted: () => sealer?.submitted() ?? Promise.resolve(),
		catchUp: (olderThanMs) => sealer?.catchUp(olderThanMs) ?? false,
		shieldedWork,
		prepare: shielded?.prepare,
		warnings: () =>
			[shieldedWarning(), fillingOf(core), indexingOf(history)].filter((warning) => warning !== undefined),
		report,
	});
	const broadcaster = new Broadcaster(api);
	const servers = await startHttpServers(api, broadcaster, options.host, (observer) =>
		open.chain.observe(observer),
	);
	stops.push(() => servers.close());
	const ofDevelopment = development &&
		sealer && {
			api,
			broadcaster,
			development,
			control: await developmentControl({ open, development, sealer, machine, log }),
			host: options.host,
			ports: () => ports,
		};
	const gatewayPort = ofDevelopment ? await startGateway(ofDevelopment, stops) : {};
	const metricsPort = metrics?.port === undefined ? {} : { metrics: metrics.port };
	const jsonRpcPorts = await startJsonRpc(open, api, broadcaster, options, stops, ofDevelopment);
	const grpcPorts = await startGrpc(api, broadcaster, options.host, stops);
	peers = development ? undefined : await startPeers(core, metrics?.peers);
	if (peers) network.become(peers);
	const peerPort = peers && peers.port !== 0 ? { peer: peers.port } : {};
	const apiPorts = { ...servers.ports, ...jsonRpcPorts, ...grpcPorts };
	ports = { ...apiPorts, ...eventsPort, ...metricsPort, ...gatewayPort, ...peerPort };
	return { ports, peers, sources };
}

/** What an operator is told of an index that lacks blocks. */
function indexingOf(history: ApiNode["history"]): string | undefined {
	const coverage = history?.coverage;
	if (!coverage || coverage.isComplete) return undefined;
	return `the history by account and contract is being made: it has all blocks from ${coverage.from} on, ${coverage.missing} older ones are missing`;
}

/** What an operator is told of a history that lacks blocks. */
function fillingOf({ backfill }: NodeCore): string | undefined {
	const progress = backfill.running?.progress;
	if (!progress) return undefined;
	const { block, target } = progress;
	return `the history of the state is being filled in: block ${block} of ${target}; states before block ${target} aren't known yet`;
}

/** The test that is made before each block of a peer; the first time that it holds, the node's end is told. */
function endOf(
	{ chain }: OpenChain,
	shutdown: ShutdownConfig | undefined,
	log: NodeLog,
	finish: () => void,
): (() => boolean) | undefined {
	const isThere = shutdown && stopCondition(shutdown, chain);
	if (!isThere) return undefined;
	let isOver = false;
	return () => {
		if (isOver) return true;
		if (!isThere()) return false;
		isOver = true;
		// The block log holds the head, so that a start goes on from it.
		const { number } = chain.head;
		const numbers = `currentBlockNum:${number}, DbBlockNum:${number}, solidifiedBlockNum:${chain.solidifiedNumber}`;
		log.info({}, `Begin shutdown, ${numbers}`);
		finish();
		return true;
	};
}

/** The peer network is loaded only where the configuration asks for peers, and after everything else. */
async function startPeers(
	{ open, options, shielded, isAtEnd, report, stops }: NodeCore,
	meter: PeerMeter | undefined,
): Promise<PeerNetwork | undefined> {
	const { config, producers, host, dataDirectory, log } = options;
	const { run, node } = config;
	if (!run.peers || (node.peers.listenPort === 0 && node.peers.active.length === 0)) return undefined;
	const [{ startNetwork }, { localAddresses, nodeEnvironment }, { LazySignaturePool }, { workerScript }] =
		await Promise.all([
			import("./network/network.js"),
			import("./network/node-environment.js"),
			import("./signatures/lazy-pool.js"),
			import("./signatures/worker-script.js"),
		]);
	const pool = new LazySignaturePool(workerScript(), node.validateSignThreads);
	const network = await startNetwork({
		environment: nodeEnvironment(),
		config,
		open,
		pool: {
			recover: async (transactions) => {
				await Promise.all([pool.recover(transactions), shielded?.prepare?.(transactions, "block")]);
			},
		},
		prepare: shielded?.prepare,
		producers,
		host,
		lan: localAddresses(),
		dataDirectory,
		log,
		report,
		meter,
		isAtEnd,
	});
	stops.push(() => pool.close());
	stops.push(() => network.stop());
	return network;
}

/** Metrics are loaded only where the configuration asks for them. */
async function startCounting(
	{ open, options, monotonicClock, report, stops }: NodeCore,
	network: NetworkView,
	events: () => EventCounts | undefined,
	history: ApiNode["history"],
): Promise<NodeMetrics | undefined> {
	const { config, clock = () => BigInt(Date.now()) } = options;
	const { enabled, prometheus } = config.node.metrics;
	if (!enabled && !prometheus.enabled) return undefined;
	const { startMetrics } = await import("./metrics/metrics.js");
	const metrics = await startMetrics({
		config,
		chain: open.chain,
		database: open.database,
		network,
		events: config.events && events,
		history,
		clock,
		now: monotonicClock,
		report,
	});
	stops.push(() => metrics.close());
	return metrics;
}

/** The history index is loaded only where there is one. */
async function loadHistory({ open, options, log, report, stops }: NodeCore): Promise<ApiNode["history"]> {
	const { config, dataDirectory, development } = options;
	if (!(config.node.history.index ?? development !== undefined)) return undefined;
	const { openHistory } = await import("./node-history.js");
	const fork = development?.options.fork;
	const lowestNumber = fork && Number(fork.number) + 1;
	const isDevelopment = development !== undefined;
	const base = { open, config, dataDirectory, lowestNumber, isDevelopment };
	const { index, close } = await openHistory({ ...base, log, report });
	stops.push(close);
	return index;
}

/** What tells events is loaded only where the configuration asks for it; it hears of the first block already. */
async function loadEvents(core: NodeCore): Promise<RunningEvents | undefined> {
	const { open, options, clock, log, report, stops } = core;
	const { config, host, dataDirectory } = options;
	if (!config.events) return undefined;
	const { startEvents } = await import("./node-events.js");
	const { dialect } = config.node;
	const { events } = config;
	const running = await startEvents({ open, events, dialect, host, dataDirectory, clock, log, report });
	stops.push(() => running.close());
	return running;
}

/** What executes blocks again for clients is loaded only where the configuration asks for it. */
async function loadTracing({ open, machine, report, options }: NodeCore): Promise<TraceRunner | undefined> {
	if (!options.config.node.jsonrpc.debug) return undefined;
	const { TraceRunner } = await import("./tracing/trace-runner.js");
	return new TraceRunner(open, machine, (error) => report(error, "tracing"));
}

async function loadSimulator({ open, machine, options }: NodeCore): Promise<Simulator | undefined> {
	if (!options.config.node.jsonrpc.simulate) return undefined;
	const { Simulator } = await import("./simulation/simulator.js");
	return new Simulator(open, machine);
}

/** The JSON-RPC servers are loaded only where the configuration asks for one. */
async function startJsonRpc(
	open: OpenChain,
	node: ApiNode,
	broadcaster: Broadcaster,
	{ development, producers, host }: NodeOptions,
	stops: Stops,
	ofDevelopment: DevelopmentServers | undefined,
): Promise<NodePorts> {
	const { full, solidity, pbft } = node.config.node.jsonrpc;
	if (!full.enabled && !solidity.enabled && !pbft.enabled) return {};
	const { startJsonRpcServers } = await import("./api/jsonrpc/servers.js");
	const own = development ? [development.producer] : producers;
	const servers = await startJsonRpcServers({
		node,
		broadcaster,
		observe: (observer) => open.chain.observe(observer),
		producerAddresses: own.map(({ signer }) => signer),
		host,
		beside: ofDevelopment && (await developmentMethodsBeside(ofDevelopment)),
	});
	stops.push(() => servers.close());
	return servers.ports;
}

/** The gRPC servers are loaded only where the configuration asks for one. */
async function startGrpc(
	node: ApiNode,
	broadcaster: Broadcaster,
	host: string | undefined,
	stops: Stops,
): Promise<NodePorts> {
	const { full, solidity, pbft } = node.config.node.rpc;
	if (![full, solidity, pbft].some(({ enabled }) => enabled)) return {};
	const { startGrpcServers } = await import("./api/grpc/grpc-servers.js");
	const servers = await startGrpcServers(node, broadcaster, host);
	stops.push(() => servers.close());
	return servers.ports;
}

type Stops = (() => Promise<void> | undefined | void)[];
type Report = (error: unknown, where: string) => void;

function startProducer(
	open: OpenChain,
	{ config, producers, log }: NodeOptions,
	around: Pick<SlotProducerOptions, "clock" | "monotonicClock" | "isMaster" | "isReceiving">,
	report: Report,
	stops: Stops,
): void {
	const producer = new SlotProducer({
		chain: open.chain,
		producers,
		...around,
		minParticipationPercent: config.node.minParticipationRate,
		packingPercent: config.node.blockProducedTimeOutPercent,
		needSyncCheck: config.block.needSyncCheck,
		onProduced: ({ block }) => {
			log.info(
				{ number: Number(block.number), id: block.idHex, transactions: block.transactions.length },
				"block produced",
			);
		},
		onSkipped: (state) => log.info({ state }, "no block produced"),
		onFailure: (error) => {
			if (error instanceof LostSlotError) log.warn({}, error.message);
			else report(error, "production");
		},
	});
	producer.start();
	stops.push(() => producer.stop());
}

/** After a block, waiting transactions are executed again in short turns, so that nothing else has to wait long. */
function executeWaitingInTurns(open: OpenChain, report: Report): void {
	const turn = (): void => {
		try {
			if (open.chain.executeWaiting()) setImmediate(turn);
		} catch (error) {
			report(error, "pending transactions");
		}
	};
	const committed = (): void => {
		setImmediate(turn);
	};
	open.chain.observe(eachBlock({ committed }));
}
