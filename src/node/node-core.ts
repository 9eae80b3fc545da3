/** What a node is made of: an opened chain, and services that are started in order and find each other here. */

import type { Broadcaster } from "./api/broadcast.js";
import type { ApiNode, ServerKind, ShieldedWork } from "./api/context.js";
import type { GrpcPort } from "./api/grpc/grpc-server.js";
import type { JsonRpcPort } from "./api/jsonrpc/servers.js";
import type { LiveAudit } from "./audit/live-audit.js";
import type { OpenChain } from "./chain/open-chain.js";
import type { Producer } from "./chain/packing.js";
import type { VerifyAhead } from "./chain/work-ahead.js";
import type { NodeConfig } from "./config/config.js";
import type { DevelopmentControl } from "./development/control.js";
import type { Development } from "./development/development.js";
import type { FaultWatch } from "./faults/fault-watch.js";
import type { ContractSources } from "./history/contract-sources.js";
import type { NodeMetrics } from "./metrics/metrics.js";
import type { PeerNetwork } from "./network/network.js";
import type { RunningBackfill } from "./node-backfill.js";
import type { RunningEvents } from "./node-events.js";
import type { NodeLog } from "./node-log.js";
import type { Sealer } from "./production/sealer.js";
import type { ShieldedSupport } from "./shielded-support.js";
import type { Simulator } from "./simulation/simulator.js";
import type { TraceRunner } from "./tracing/trace-runner.js";
import type { ContractMachine } from "./vm/contract-machine.js";

export interface NodeOptions {
	readonly config: NodeConfig;
	/** Undefined: the chain lives in memory. */
	readonly dataDirectory: string | undefined;
	/** What shielded transactions are built with for clients; absent: the process's randomness, and no proofs. */
	readonly shieldedWork?: ShieldedWork | undefined;
	/** Keys that produce blocks; empty: the node only follows. Those of a signer that is awaited come in when it answers. */
	readonly producers: Producer[];
	/** Of a witness whose signer was away at the start; undefined: nothing is awaited. */
	readonly awaitedSigner?: AwaitedSigner | undefined;
	/** A development chain instead of a network; its `config` is the one above. */
	readonly development?: Development | undefined;
	/** Address that servers bind; undefined: every interface. */
	readonly host?: string | undefined;
	readonly log: NodeLog;
	/** This program, as files say which one wrote them; absent: it has no name. */
	readonly program?: string | undefined;
	/** Milliseconds since 1970; the wall clock if absent. */
	readonly clock?: () => bigint;
	/** Milliseconds of a clock that only goes forward: for whatever lasts. That of the process if absent. */
	readonly monotonicClock?: () => number;
	/** Contracts that run outside signed blocks end after the chain's CPU time; off under `--debug`. Default: on. */
	readonly limitTime?: boolean;
	/**
	 * Awaited when everything is loaded and nothing is opened yet: another process still has the data. The start ends with what it
	 * throws.
	 */
	readonly beforeOpening?: (() => Promise<void>) | undefined;
}

export type PortName = "gateway" | "peer" | "events" | ServerKind | JsonRpcPort | GrpcPort | "metrics";
export type NodePorts = Readonly<Partial<Record<PortName, number>>>;

/** A signer that didn't answer. */
export interface AwaitedSigner {
	/** Why, in a sentence. */
	readonly reason: string;
	/** Asks again. @throws {OperatorError} where it is away still, or its keys can't be used */
	ask(): Promise<readonly Producer[]>;
}

/** An opened chain, and what everything that runs on it shares. */
export interface NodeCore {
	readonly options: NodeOptions;
	readonly open: OpenChain;
	readonly machine: ContractMachine;
	readonly shielded: ShieldedSupport | undefined;
	readonly sources: ContractSources;
	readonly log: NodeLog;
	/** Milliseconds since 1970. */
	readonly clock: () => bigint;
	/** Milliseconds of a clock that only goes forward. */
	readonly monotonicClock: () => number;
	readonly report: (error: unknown, where: string) => void;
	/** Asked before each block of a peer; undefined: the configuration names no end. */
	readonly isAtEnd: (() => boolean) | undefined;
	/** What services have made, each from the moment it runs: whoever needs one that starts later looks here when it does. */
	readonly parts: NodeParts;
	/** Bound ports of the services that run. */
	readonly ports: NodePorts;
}

/** What a service leaves for others; undefined: it doesn't run, or not yet. */
export interface NodeParts {
	tracing?: TraceRunner;
	simulator?: Simulator;
	events?: RunningEvents;
	sealer?: Sealer;
	shieldedWork?: ShieldedWork;
	/** What an operator must know of proofs. */
	shieldedWarning?: () => string | undefined;
	history?: NonNullable<ApiNode["history"]>;
	metrics?: NodeMetrics;
	api?: { readonly node: ApiNode; readonly broadcaster: Broadcaster };
	control?: DevelopmentControl;
	peers?: PeerNetwork;
	/** Where signatures that take long are verified on threads. */
	verifyAhead?: VerifyAhead;
	backfill?: RunningBackfill;
	faults?: FaultWatch;
	audit?: LiveAudit;
	/** Whether the last slot was lost for want of a signature. */
	production?: { readonly warning: () => string | undefined };
}

/** A part of the node with a start and an end. */
export interface Service {
	/** @throws {OperatorError} one sentence; what it had opened is closed again */
	start(core: NodeCore): Promise<Running>;
}

/** Nothing of both: the configuration doesn't ask for it, or it needs no end. */
export interface Running {
	readonly ports?: NodePorts;
	stop?(): Promise<void> | undefined | void;
}
