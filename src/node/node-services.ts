/** The services of a node. What isn't configured isn't loaded. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers";
import { toBase58Check } from "../protocol/address.js";
import type { SignedBlock } from "../protocol/block.js";
import { OperatorError } from "../protocol/operator-error.js";
import { SLOT_MS } from "../protocol/timing.js";
import { Broadcaster } from "./api/broadcast.js";
import { startHttpServers } from "./api/http-servers.js";
import { DoubleSigners } from "./api/meters.js";
import { REPLAY_FOLDER } from "./backfill/messages.js";
import type { OpenChain } from "./chain/open-chain.js";
import type { Producer } from "./chain/packing.js";
import type { NodeConfig } from "./config/config.js";
import { signerOfWitness } from "./consensus/block-judgement.js";
import { addressText } from "./network/environment.js";
import { createApiNode, networkView } from "./node-api.js";
import type { AwaitedSigner, NodeCore, Service } from "./node-core.js";
import { developmentMethodsBeside } from "./node-development.js";
import type { NodeLog } from "./node-log.js";
import { logReorgs, signerGap, warnOfBeginning, watchShielded, watchVersions } from "./node-notices.js";
import { READY_STATES, SlotProducer } from "./production/slot-producer.js";
import { LostSlotError } from "./rules/errors.js";
import { executions, OWN_CLIENT } from "./scheduling/call-queue.js";
import { openShieldedWork } from "./shielded-support.js";

/** Preloads what service starts will load anyway, for a process that must not spend time on it then. */
export async function loadAhead({ node, events, run }: NodeConfig): Promise<void> {
	await Promise.all([
		import("./faults/fault-watch.js"),
		import("./api/jsonrpc/servers.js"),
		node.rpc.full.enabled && import("./api/grpc/grpc-server.js"),
		node.metrics.prometheus.enabled && import("./metrics/metrics.js"),
		node.history.index && import("./node-history.js"),
		events && import("./node-events.js"),
		run.peers && import("./network/network.js"),
		run.peers && import("./network/node-environment.js"),
	]);
}

/** Re-executes blocks for clients. */
export const tracing: Service = {
	start: async ({ open, machine, report, options, parts }) => {
		if (!options.config.node.jsonrpc.debug) return {};
		const { TraceRunner } = await import("./tracing/trace-runner.js");
		parts.tracing = new TraceRunner(open, machine, (error) => report(error, "tracing"));
		return {};
	},
};

export const simulation: Service = {
	start: async ({ open, machine, options, parts }) => {
		if (!options.config.node.jsonrpc.simulate) return {};
		const { Simulator } = await import("./simulation/simulator.js");
		parts.simulator = new Simulator(open, machine);
		return {};
	},
};

/** Started first, so that receivers get the very first block. */
export const events: Service = {
	start: async ({ open, options, clock, log, report, parts }) => {
		const { config, host, dataDirectory } = options;
		if (!config.events) return {};
		const { startEvents } = await import("./node-events.js");
		const { dialect } = config.node;
		const of = { open, events: config.events, dialect, host, dataDirectory, clock, log, report };
		const running = await startEvents(of);
		parts.events = running;
		const ports = running.port === undefined ? {} : { events: running.port };
		return { ports, stop: () => running.close() };
	},
};

const isTaken = (error: unknown): boolean => (error as { readonly isTaken?: boolean }).isTaken === true;

/**
 * Polls a signer for its keys once per slot, until one of them is a witness's: before, the node's slots are unknown.
 * @param lose called with the reason, and with each other one
 * @param answered takes the keys, or says what is wrong with them
 * @returns ends it
 */
function whenSignerAnswers(
	{ reason, ask }: AwaitedSigner,
	lose: (text: string) => void,
	answered: (keys: readonly Producer[]) => string | undefined,
): () => void {
	let timer: NodeJS.Timeout;
	let isOver = false;
	let last: string | undefined;
	const wait = (why: string): void => {
		if (isOver) return;
		if (why !== last) lose(why);
		last = why;
		timer = setTimeout(() => {
			ask().then(
				(keys) => {
					const wrong = isOver ? undefined : answered(keys);
					if (wrong !== undefined) wait(wrong);
				},
				(error: Error) => wait(awaiting(error)),
			);
		}, Number(SLOT_MS));
	};
	wait(awaiting({ message: reason }));
	return () => {
		isOver = true;
		clearTimeout(timer);
	};
}

const awaiting = ({ message }: Pick<Error, "message">): string =>
	`no block is made until the signer answers: ${message}`;

/** Why a signer's keys can't produce at the head; undefined: one of them signs for a witness. */
function strangersIn({ chain: { state } }: OpenChain, keys: readonly Producer[]): string | undefined {
	return signerGap(keys, (account) =>
		state.witness.has(account) ? signerOfWitness(state, account) : undefined,
	);
}

function noteDouble(
	counts: Map<string, number>,
	log: NodeLog,
	{ number, idHex, witness }: SignedBlock,
): void {
	const miner = toBase58Check(witness);
	counts.set(miner, (counts.get(miner) ?? 0) + 1);
	log.warn(
		{ number: Number(number), id: idHex },
		"another node or signer has this witness's key, and made a block with it",
	);
}

/** A node with an older head catches up: the witness of its key may be in a block that is still to come, so it is no alarm that it has none. */
const CATCHING_UP_MS = 3_600_000n;

/** Produces in slots, if the node has keys. */
export const production: Service = {
	start: async ({ open, options, clock, monotonicClock, parts, report }) => {
		const { config, producers, awaitedSigner, development, log } = options;
		if (development || (producers.length === 0 && !awaitedSigner)) return {};
		// The signer is unreachable, or refuses.
		let lost: string | undefined;
		const madeElsewhere = new Map<string, number>();
		// Why a signer doesn't say whose a block is, by witness: each may have a signer of its own.
		const unchecked = new Map<string, string | undefined>();
		const lose = (reason: string): void => {
			lost = reason;
			log.error({}, lost);
		};
		const strangers = (): string | undefined =>
			producers.some(({ remote }) => remote) ? strangersIn(open, producers) : undefined;
		const isCatchingUp = (): boolean => clock() - open.chain.head.timestampMs > CATCHING_UP_MS;
		const gap = strangers();
		if (gap !== undefined) log.warn({ head: Number(open.chain.head.number) }, gap);
		const producer = new SlotProducer({
			chain: open.chain,
			producers,
			clock,
			monotonicClock,
			isMaster: () => parts.peers?.isMaster ?? true,
			isReceiving: () => parts.peers?.isReceiving ?? false,
			minParticipationPercent: config.node.minParticipationRate,
			packingPercent: config.node.blockProducedTimeOutPercent,
			needSyncCheck: config.block.needSyncCheck,
			onProduced: ({ block }) => {
				lost = undefined;
				log.info(
					{ number: Number(block.number), id: block.idHex, transactions: block.transactions.length },
					"block produced",
				);
			},
			onDouble: (block) => noteDouble(madeElsewhere, log, block),
			onUncheckedDouble: (witness, error) => {
				const reason = error === undefined || error instanceof Error ? error?.message : String(error);
				if (reason !== undefined && ![...unchecked.values()].includes(reason))
					log.warn({ reason }, "the signer doesn't say whether it signed a received block of its key");
				unchecked.set(toBase58Check(witness), reason);
			},
			onSkipped: (state) => log.info({ state }, "no block produced"),
			onFailure: (error) => {
				// The signer has answered, so it is reachable again.
				if (error instanceof LostSlotError || isTaken(error)) lost = undefined;
				// Of two nodes at one signer, one comes second in each slot.
				if (error instanceof LostSlotError)
					log[producers.every(({ remote }) => remote) ? "info" : "warn"]({}, error.message);
				else if (isTaken(error))
					log.info({}, "no block produced: another node with this signer has the slot");
				else if (error instanceof OperatorError) {
					lose(`the last slot was lost: ${error.message}`);
				} else report(error, "production");
			},
		});
		producer.start();
		const warning = (): string | undefined => lost ?? (isCatchingUp() ? undefined : strangers());
		parts.production = {
			warning,
			madeElsewhere,
			witnesses: () => producers.map(({ witness }) => witness),
			isReady: () =>
				warning() === undefined &&
				READY_STATES.has(producer.last) &&
				strangersIn(open, producers) === undefined,
		};
		const stopAsking =
			awaitedSigner &&
			whenSignerAnswers(awaitedSigner, lose, (keys) => {
				const wrong = strangersIn(open, keys);
				if (wrong !== undefined) return wrong;
				lost = undefined;
				producers.push(...keys);
				log.info({ keys: keys.length }, "the signer answers: blocks are made from here on");
				return undefined;
			});
		return {
			stop: () => {
				stopAsking?.();
				producer.stop();
			},
		};
	},
};

/**
 * What a block, taken or refused, leaves waiting is executed again in short time slices, between the executions of clients: one that uses up
 * its time is followed by a pause as theirs are.
 */
export const waitingTransactions: Service = {
	start: async ({ open, report }) => {
		let isOver = false;
		let isQueued = false;
		const slice = (): void => {
			executions
				.run(() => isOver || !open.chain.executeWaiting(), undefined, OWN_CLIENT)
				.then(
					(isDone) => {
						if (isDone) isQueued = false;
						else setImmediate(slice);
					},
					(error: unknown) => {
						isQueued = false;
						report(error, "pending transactions");
					},
				);
		};
		const waiting = (): void => {
			if (isQueued) return;
			isQueued = true;
			setImmediate(slice);
		};
		const stop = open.chain.observe({ waiting });
		return {
			stop: () => {
				isOver = true;
				stop();
			},
		};
	},
};

/** Log lines as the chain progresses. */
export const notices: Service = {
	start: async ({ open, options, log, parts }) => {
		logReorgs(open, log);
		watchVersions(open, log);
		await warnOfBeginning(open, options.config, log);
		parts.shieldedWarning = watchShielded(open, options.config, log);
		return {};
	},
};

/** Saves each refused block of a witness to a file; a development chain receives no blocks from other nodes. */
export const faults: Service = {
	start: async ({ open, options, log, report, parts }) => {
		const { config, dataDirectory, development, limitTime = true, program = "coin" } = options;
		if (development) return {};
		const [{ FaultWatch }, { FAULT_FOLDER }] = await Promise.all([
			import("./faults/fault-watch.js"),
			import("./faults/fault-files.js"),
		]);
		const source = { open, config, limitTime, program };
		const folder = dataDirectory && join(dataDirectory, FAULT_FOLDER);
		const watch = new FaultWatch({ source, folder, log, report });
		parts.faults = watch;
		const ignore = open.chain.observe({ refused: (block, error) => watch.refused(block, error) });
		return {
			stop: () => {
				ignore();
				return watch.close();
			},
		};
	},
};

/** For building shielded transactions for clients. */
export const shieldedWork: Service = {
	start: async ({ options, parts }) => {
		const { config, development } = options;
		if (options.shieldedWork) {
			parts.shieldedWork = options.shieldedWork;
			return {};
		}
		const { work, close } = openShieldedWork(config, development !== undefined);
		parts.shieldedWork = work;
		return { stop: close };
	},
};

export const history: Service = {
	start: async ({ open, options, log, report, parts }) => {
		const { config, dataDirectory, development } = options;
		if (!(config.node.history.index ?? development !== undefined)) return {};
		const { openHistory } = await import("./node-history.js");
		const fork = development?.options.fork;
		const lowestNumber = fork && Number(fork.number) + 1;
		const isDevelopment = development !== undefined;
		const base = { open, config, dataDirectory, lowestNumber, isDevelopment };
		const { index, close } = await openHistory({ ...base, log, report });
		parts.history = index;
		return { stop: close };
	},
};

export const metrics: Service = {
	start: async (core) => {
		const { open, options, monotonicClock, report, parts } = core;
		const { config, clock = () => BigInt(Date.now()) } = options;
		const { enabled, prometheus } = config.node.metrics;
		if (!enabled && !prometheus.enabled) return {};
		const { startMetrics } = await import("./metrics/metrics.js");
		const running = await startMetrics({
			config,
			chain: open.chain,
			database: open.database,
			network: networkView(core),
			events: config.events && (() => parts.events?.counts),
			history: parts.history,
			faults: parts.faults,
			doubleSigners: () => parts.api?.node.doubleSigners() ?? [],
			audit: config.node.audit && (() => parts.audit),
			signerAway: () => parts.production?.warning() !== undefined,
			producers: () => parts.production?.witnesses() ?? [],
			madeElsewhere: () => parts.production?.madeElsewhere ?? new Map(),
			dataDirectory: options.dataDirectory,
			clock,
			now: monotonicClock,
			report,
		});
		parts.metrics = running;
		const ports = running.port === undefined ? {} : { metrics: running.port };
		return { ports, stop: () => running.close() };
	},
};

/** What all servers answer from. */
export const api: Service = {
	start: async (core) => {
		const { open, options, clock, parts } = core;
		const signers = new DoubleSigners(clock);
		const node = createApiNode(core, signers);
		parts.api = { node, broadcaster: new Broadcaster(node) };
		// A development chain may replace the block at a height when it is reverted.
		if (options.development) return {};
		return { stop: open.chain.observe({ accepted: (block) => signers.accepted(block) }) };
	},
};

/** The API's part for the servers. */
function apiOf({ parts }: NodeCore): NonNullable<NodeCore["parts"]["api"]> {
	if (!parts.api) throw new Error("servers start after the API");
	return parts.api;
}

export const http: Service = {
	start: async (core) => {
		const { node, broadcaster } = apiOf(core);
		const { open, options } = core;
		const servers = await startHttpServers(node, broadcaster, options.host, (observer) =>
			open.chain.observe(observer),
		);
		return { ports: servers.ports, stop: () => servers.close() };
	},
};

export const jsonRpc: Service = {
	start: async (core) => {
		const { open, options } = core;
		const { full, solidity, pbft } = options.config.node.jsonrpc;
		if (!full.enabled && !solidity.enabled && !pbft.enabled) return {};
		const { node, broadcaster } = apiOf(core);
		const { startJsonRpcServers } = await import("./api/jsonrpc/servers.js");
		const { development, producers, host } = options;
		const own = development ? [development.producer] : producers;
		const servers = await startJsonRpcServers({
			node,
			broadcaster,
			observe: (observer) => open.chain.observe(observer),
			producerAddresses: () => own.map(({ signer }) => signer),
			host,
			beside: await developmentMethodsBeside(core),
		});
		return { ports: servers.ports, stop: () => servers.close() };
	},
};

export const grpc: Service = {
	start: async (core) => {
		const { full, solidity, pbft } = core.options.config.node.rpc;
		if (![full, solidity, pbft].some(({ enabled }) => enabled)) return {};
		const { node, broadcaster } = apiOf(core);
		const { startGrpcServers } = await import("./api/grpc/grpc-server.js");
		const servers = await startGrpcServers(node, broadcaster, core.options.host);
		return { ports: servers.ports, stop: () => servers.close() };
	},
};

/** Compares this node with another one, over that node's HTTP. */
export const audit: Service = {
	start: async ({ open, options, ports, log, report, parts }) => {
		const { config, host = "127.0.0.1" } = options;
		const { faults } = parts;
		if (!config.node.audit || !faults) return {};
		const { LiveAudit } = await import("./audit/live-audit.js");
		const at = (port: number | undefined, path = ""): string | undefined =>
			port === undefined ? undefined : `http://${addressText({ host, port })}${path}`;
		const full = at(ports.full);
		if (full === undefined) return {};
		const own = { full, solidity: at(ports.solidity), jsonrpc: at(ports.jsonrpc, "/jsonrpc") };
		const base = { chain: open.chain, config: config.node.audit, own, faults };
		const live = new LiveAudit({ ...base, log, report });
		parts.audit = live;
		return { stop: () => live.close() };
	},
};

/** The peer network starts after everything that is affected by other nodes' blocks. */
export const peers: Service = {
	start: async ({ open, options, shielded, isAtEnd, report, parts }) => {
		const { config, producers, host, dataDirectory, log, development } = options;
		const { run, node } = config;
		const isAlone = node.peers.listenPort === 0 && node.peers.active.length === 0;
		if (development || !run.peers || isAlone) return {};
		const [{ startNetwork }, { localAddresses, nodeEnvironment }, { LazySignaturePool, workerScript }] =
			await Promise.all([
				import("./network/network.js"),
				import("./network/node-environment.js"),
				import("./signatures/pool.js"),
			]);
		const isNile = open.rules.network === "nile";
		const pool = new LazySignaturePool(workerScript(), node.validateSignThreads);
		const verify = isNile ? pool.verify.bind(pool) : undefined;
		if (verify) parts.verifyAhead = verify;
		const network = await startNetwork({
			environment: nodeEnvironment(),
			config,
			open,
			pool: {
				digest: async (block, isOfWitness) => {
					await Promise.all([
						pool.digest(block, isOfWitness),
						shielded?.prepare?.(block.transactions, "block"),
					]);
				},
			},
			prepare: shielded?.prepare,
			verify,
			producers,
			host,
			lan: localAddresses(),
			dataDirectory,
			log,
			report,
			meter: parts.metrics?.peers,
			isAtEnd,
		});
		parts.peers = network;
		return {
			ports: network.port === 0 ? {} : { peer: network.port },
			stop: async () => {
				await network.stop();
				await pool.close();
			},
		};
	},
};

/** Backfills state history where some may be missing. */
export const backfill: Service = {
	start: async ({ options, open, log, report, parts }) => {
		const { config, dataDirectory, development } = options;
		if (dataDirectory === undefined || development) return {};
		if (!open.backfillable() && !existsSync(join(dataDirectory, REPLAY_FOLDER))) return {};
		const { startBackfill } = await import("./node-backfill.js");
		const running = await startBackfill({ open, config, dataDirectory, log, report });
		if (!running) return {};
		parts.backfill = running;
		return { stop: () => running.stop() };
	},
};

/** Loads the proof checker in the background if the chain has no proofs yet. */
export const shieldedProofs: Service = {
	start: async ({ shielded, report }) => {
		shielded?.load?.().catch((error: unknown) => report(error, "shielded proofs"));
		return {};
	},
};
