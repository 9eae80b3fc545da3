/** The parts of a node: an opened chain, and services that start in order and find each other here. */

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
	/** For building shielded transactions for clients; absent: the process's randomness, and no proofs. */
	readonly shieldedWork?: ShieldedWork | undefined;
	/** Keys that produce blocks; empty: the node only follows. An awaited signer's are added once it answers. */
	readonly producers: Producer[];
	/** A witness's signer that was unreachable at the start; undefined: none is awaited. */
	readonly awaitedSigner?: AwaitedSigner | undefined;
	/** A development chain instead of a network; its `config` is the one above. */
	readonly development?: Development | undefined;
	/** Address that servers bind; undefined: every interface. */
	readonly host?: string | undefined;
	/** For the operator, as long as the node runs. */
	readonly warnings?: readonly string[];
	readonly log: NodeLog;
	/** This program's name, as recorded in files; absent: none. */
	readonly program?: string | undefined;
	/** Milliseconds since 1970; the wall clock if absent. */
	readonly clock?: () => bigint;
	/** Milliseconds of a monotonic clock, for durations. The process's if absent. */
	readonly monotonicClock?: () => number;
	/** Contracts that run outside signed blocks end after the chain's CPU time; off under `--debug`. Default: on. */
	readonly limitTime?: boolean;
	/**
	 * Awaited after everything is loaded and before anything is opened, because another process still has the
	 * data. The start fails with what it throws.
	 */
	readonly beforeOpening?: (() => Promise<void>) | undefined;
}

export type PortName = "gateway" | "peer" | "events" | ServerKind | JsonRpcPort | GrpcPort | "metrics";
export type NodePorts = Readonly<Partial<Record<PortName, number>>>;

/** A signer that didn't answer. */
export interface AwaitedSigner {
	/** Why, in a sentence. */
	readonly reason: string;
	/** Retries. @throws {OperatorError} where it is away still, or its keys can't be used */
	ask(): Promise<readonly Producer[]>;
}

/** An opened chain, and what everything running on it shares. */
export interface NodeCore {
	readonly options: NodeOptions;
	readonly open: OpenChain;
	readonly machine: ContractMachine;
	readonly shielded: ShieldedSupport | undefined;
	readonly sources: ContractSources;
	readonly log: NodeLog;
	/** Milliseconds since 1970. */
	readonly clock: () => bigint;
	/** Milliseconds of a monotonic clock. */
	readonly monotonicClock: () => number;
	readonly report: (error: unknown, where: string) => void;
	/** Checked before each peer's block; undefined: no end is configured. */
	readonly isAtEnd: (() => boolean) | undefined;
	/** What services provide, each once it runs: users of a later-starting one look it up here when needed. */
	readonly parts: NodeParts;
	/** Bound ports of the services that run. */
	readonly ports: NodePorts;
}

/** What services provide to others; undefined: not running, or not yet. */
export interface NodeParts {
	tracing?: TraceRunner;
	simulator?: Simulator;
	events?: RunningEvents;
	sealer?: Sealer;
	shieldedWork?: ShieldedWork;
	/** Warning for the operator about proofs. */
	shieldedWarning?: () => string | undefined;
	history?: NonNullable<ApiNode["history"]>;
	metrics?: NodeMetrics;
	api?: { readonly node: ApiNode; readonly broadcaster: Broadcaster };
	control?: DevelopmentControl;
	peers?: PeerNetwork;
	/** Verifies slow signatures on threads. */
	verifyAhead?: VerifyAhead;
	backfill?: RunningBackfill;
	faults?: FaultWatch;
	audit?: LiveAudit;
	production?: RunningProduction;
}

/** Production of blocks, on nodes with keys or a signer. */
interface RunningProduction {
	/** Why slots are lost to the signer. */
	readonly warning: () => string | undefined;
	/** Received blocks with a key of the node or its signer that neither of them made, by witness in Base58Check. */
	readonly madeElsewhere: ReadonlyMap<string, number>;
	/** Witnesses whose keys the node has. */
	readonly witnesses: () => readonly Uint8Array[];
	/** Whether it would make a block in a slot of theirs. */
	readonly isReady: () => boolean;
}

/** A part of the node that can be started and stopped. */
export interface Service {
	/** @throws {OperatorError} one sentence; what it had opened is closed again */
	start(core: NodeCore): Promise<Running>;
}

/** Both absent: not configured, or nothing to stop. */
export interface Running {
	readonly ports?: NodePorts;
	stop?(): Promise<void> | undefined | void;
}
