/** The node: the only place that wires all parts together, starts and stops them. */

import { setImmediate } from "node:timers/promises";
import { quietReport } from "../diagnostics/quiet-log.js";
import { sourceTrace } from "../diagnostics/stack-trace.js";
import { setAddressPrefix } from "../protocol/address.js";
import { toHex } from "../protocol/bytes.js";
import { useFastHashing } from "../protocol/hash.js";
import { OpenChain } from "./chain/open-chain.js";
import { stopCondition } from "./chain/stop-condition.js";
import type { ShutdownConfig } from "./config/config.js";
import { createContractMachine } from "./contract-runner.js";
import { isMarked, markDevelopmentDirectory, refuseDevelopmentDirectory } from "./development/directory.js";
import type { Fork } from "./fork/fork.js";
import { ContractSources } from "./history/contract-sources.js";
import type { PeerNetwork } from "./network/network.js";
import type { NodeCore, NodeOptions, NodePorts, PortName, Running, Service } from "./node-core.js";
import { developmentMethods, gateway, SwitchableLog, sealing } from "./node-development.js";
import type { NodeLog } from "./node-log.js";
import * as services from "./node-services.js";
import { DeferredShieldedSupport, loadShieldedSupport, type ShieldedSupport } from "./shielded-support.js";
import { installRecoverEngine } from "./signatures/engine.js";
import type { Simulator } from "./simulation/simulator.js";
import { loadLevelDatabase } from "./state/database.js";
import type { TraceRunner } from "./tracing/trace-runner.js";
import type { ContractMachine } from "./vm/contract-machine.js";

export type { NodeOptions, NodePorts, PortName } from "./node-core.js";

/** In start order: each finds the ones before it, and looks up later ones when needed. */
const SERVICES: readonly Service[] = [
	services.tracing,
	services.simulation,
	services.events,
	sealing,
	services.production,
	services.waitingTransactions,
	services.notices,
	services.faults,
	services.shieldedWork,
	services.history,
	services.metrics,
	services.api,
	services.http,
	developmentMethods,
	gateway,
	services.jsonRpc,
	services.grpc,
	services.audit,
	services.peers,
	services.backfill,
	services.shieldedProofs,
];

/** Ports shown after the API's, in this order. */
const LAST_PORTS: readonly PortName[] = ["events", "metrics", "gateway", "peer"];

function shown(ports: NodePorts): NodePorts {
	const rank = (name: string): number => LAST_PORTS.indexOf(name as PortName);
	return Object.fromEntries(Object.entries(ports).sort(([a], [b]) => rank(a) - rank(b)));
}

export interface RunningNode {
	/** 64 hexadecimal digits. */
	readonly genesisId: string;
	/** Bound ports of the servers that run. */
	readonly ports: NodePorts;
	readonly open: OpenChain;
	/** Contract sources stored by the owner. */
	readonly sources: ContractSources;
	/** Undefined: not configured. */
	readonly tracing: TraceRunner | undefined;
	readonly simulator: Simulator | undefined;
	/** Undefined: this node has no peers. */
	readonly peers: PeerNetwork | undefined;
	/** The library that verifies signatures: `native`, `wasm` or `noble`. */
	readonly signatureEngine: string;
	/** Resolves when the node can't go on, with a reason for the operator. */
	readonly failure: Promise<Error>;
	/** Resolves when the node has reached the block at which it is configured to stop. */
	readonly finished: Promise<void>;
	/** Stops servers and production, writes the state, releases the directory. */
	close(): Promise<void>;
}

/**
 * Loads compiled modules, the hash first: other threads compile it while this one loads the rest.
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

/** What a chain is opened with. */
interface ChainSupport {
	readonly machine: ContractMachine;
	readonly shielded: ShieldedSupport | undefined;
	readonly fork: Fork | undefined;
	readonly log: NodeLog;
	readonly report: (error: unknown, where: string) => void;
	readonly monotonicClock: () => number;
}

/** Opens the chain. @param fail called with the reason why the node can't go on */
function openChain(
	{ config, dataDirectory, development }: NodeOptions,
	{ machine, shielded, fork, log, report, monotonicClock }: ChainSupport,
	fail: (error: Error) => void,
): Promise<OpenChain> {
	return OpenChain.open({
		config,
		dataDirectory,
		fork,
		clock: () => BigInt(Math.trunc(monotonicClock())),
		machine: machine.run,
		guess: (transaction) => machine.guesses.of(transaction),
		shielded,
		onUnverifiable: (error) => {
			log.error({}, error.message);
			fail(error);
		},
		development: development?.schedule,
		initialize: development?.initialize,
		stateHash: {
			onCounting: () => log.info({}, "hashing the whole state, which node.state.hash asks for"),
			onCounted: (entries) => log.info({ entries }, "the state is hashed: its hash follows it from here on"),
			onFailure: (error) => report(error, "hash of the state"),
		},
		onLogLost: (head) =>
			log.warn({ head }, "the block log is empty: blocks after this one, if there were any, are lost"),
		onObserverFailure: (error) => report(error, "observer of the chain"),
		onStorageFailure: (error) =>
			fail(new Error(describeStorageFailure(error, dataDirectory), { cause: error })),
	});
}

/** Loads the code that reads another node's state, only for a chain that starts from one. */
async function loadFork({ development, dataDirectory }: NodeOptions): Promise<Fork | undefined> {
	const founding = development?.options.fork;
	if (!founding) return undefined;
	const { Fork, forkRequests } = await import("./fork/fork.js");
	return new Fork(founding, forkRequests(), dataDirectory === undefined);
}

function describeStorageFailure(error: unknown, dataDirectory: string | undefined): string {
	const text = error instanceof Error ? error.message : String(error);
	const where = dataDirectory ? `the data directory ${dataDirectory}` : "memory";
	if (/no space left/i.test(text) || (error as NodeJS.ErrnoException).code === "ENOSPC") {
		return `${where} has no space left; the node stopped, and what it had answered is kept`;
	}
	return `${where} can't be written: ${text}`;
}

/**
 * Starts a node; resolves once every listener is bound.
 * @throws {DatabaseError | LogDamagedError | PortError | DevelopmentMarkError | ConfigError} with one sentence; nothing stays open
 * @throws {AlreadyThereError} if the chain is where the configuration stops the node
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
	const { config, dataDirectory, development } = options;
	const log = development ? new SwitchableLog(options.log) : options.log;
	const wallClock = options.clock ?? (() => BigInt(Date.now()));
	const monotonicClock = options.monotonicClock ?? (() => performance.now());
	development?.schedule.follow(wallClock);
	const clock = development?.schedule.now ?? wallClock;
	setAddressPrefix(config.net.addressPrefix);
	const [shielded, signatureEngine] = await Promise.all([
		isNewDevelopment(options)
			? new DeferredShieldedSupport(() => loadShieldedSupport(config, true))
			: loadShieldedSupport(config, development !== undefined),
		loadEngines(dataDirectory !== undefined),
	]);
	if (dataDirectory && !development) refuseDevelopmentDirectory(dataDirectory);
	if (options.beforeOpening) {
		await services.loadAhead(config);
		await options.beforeOpening();
	}

	const failure = promised<Error>();
	const finished = promised<void>();
	// An error triggered by a stranger can be repeated at will.
	const report = quietReport((error, where) => {
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
		const shared = { options, open, machine, shielded, log, clock, monotonicClock, report, isAtEnd };
		const core = await startServices(shared, stops);
		const { tracing, simulator, peers } = core.parts;
		return {
			tracing,
			simulator,
			peers,
			genesisId: toHex(open.rules.genesisId),
			ports: core.ports,
			open,
			sources: core.sources,
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

type Stops = NonNullable<Running["stop"]>[];

/** @param stops gets the end of each as soon as it runs */
async function startServices(
	shared: Omit<NodeCore, "sources" | "parts" | "ports">,
	stops: Stops,
): Promise<NodeCore> {
	const bound: Partial<Record<PortName, number>> = {};
	const core: NodeCore = {
		...shared,
		sources: new ContractSources(shared.open),
		parts: {},
		get ports() {
			return shown(bound);
		},
	};
	for (const service of SERVICES) {
		const running = await service.start(core);
		stops.push(() => running.stop?.());
		Object.assign(bound, running.ports);
	}
	return core;
}

/** Whether this is a development chain without blocks needing proofs, and without parameters that may be wrong. */
const isNewDevelopment = ({ config, development, dataDirectory }: NodeOptions): boolean =>
	development !== undefined &&
	config.node.shielded.parameters === undefined &&
	!(dataDirectory && isMarked(dataDirectory));

/** A promise, and what resolves it. */
function promised<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
	let resolve: (value: T) => void = () => {};
	const promise = new Promise<T>((resolved) => {
		resolve = resolved;
	});
	return { promise, resolve };
}

/** The stop test run before each peer's block; reports the node's end when it first holds. */
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
		// The block log holds the head, so a later start continues from it.
		const { number } = chain.head;
		const numbers = `currentBlockNum:${number}, DbBlockNum:${number}, solidifiedBlockNum:${chain.solidifiedNumber}`;
		log.info({}, `Begin shutdown, ${numbers}`);
		finish();
		return true;
	};
}
