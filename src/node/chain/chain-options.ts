/** What a chain is opened with: configuration, storage, and the services of the rest of the node. */

import type { NodeConfig } from "../config/config.js";
import type { DevelopmentSchedule, ShieldedPool } from "../rules/chain-rules.js";
import type { MachineRunner } from "../rules/execution.js";
import type { MoverLimits } from "../segments/block-mover.js";
import type { SegmentFiles } from "../segments/segment-files.js";
import type { KeyValueDatabase } from "../state/database.js";
import type { StateView } from "../state/view.js";
import type { LogFiles } from "./log-files.js";
import type { ObserverFailure } from "./observers.js";
import type { ReadGuess } from "./read-ahead.js";

// A chain that starts from another node's state instead of its own genesis: development chains only.

/** What the configuration determines for any other chain. */
export interface ForkedGenesis {
	/** 32 bytes. */
	readonly id: Uint8Array;
	/** Empty if there is none. */
	readonly blackHole: Uint8Array;
	readonly witnesses: readonly { readonly address: Uint8Array; readonly votes: bigint }[];
}

export interface ForkedState {
	readonly genesis: ForkedGenesis;
	/**
	 * Layers the database over the remote state.
	 * @param isNew whether the database is empty
	 * @throws {OperatorError} if the other node can't be read
	 */
	under(database: KeyValueDatabase, isNew: boolean): Promise<KeyValueDatabase>;
}

/** When the base is flushed to the database. */
export interface FlushLimits {
	/** Changed entries. */
	readonly entries: number;
	/** Bytes of the block log. */
	readonly logBytes: number;
}

/** Progress of the state hash. */
interface StateHashReports {
	/** Hashing starts with a pass over the database, in the background. */
	readonly onCounting: () => void;
	/** The pass is complete: hashes are available from now on. */
	readonly onCounted: (entries: number) => void;
	/** Hashing can't continue; the chain does. */
	readonly onFailure: (error: unknown) => void;
}

export interface ChainOptions {
	readonly config: NodeConfig;
	/** Undefined: the chain is in memory only and is lost with the process. */
	readonly dataDirectory: string | undefined;
	/** Milliseconds of a monotonic clock: how long transactions wait. */
	readonly clock: () => bigint;
	readonly machine: MachineRunner;
	/** Guesses what transactions will read of the state; absent: only what they name is prefetched. */
	readonly guess?: ReadGuess | undefined;
	/** Verifies shielded proofs; absent: a network's chain that needs it is not opened. */
	readonly shielded?: Pick<ShieldedPool, "proofs" | "trees"> | undefined;
	/** Called for a block that can't be validated: the node must stop. */
	readonly onUnverifiable?: ((error: Error) => void) | undefined;
	/** How a development chain times its blocks; absent for networks. */
	readonly development?: DevelopmentSchedule | undefined;
	/** Another node's state in place of a genesis: development chains only. */
	readonly fork?: ForkedState | undefined;
	/** Writes to the state of a newly created chain, after genesis. */
	readonly initialize?: ((state: StateView) => void) | undefined;
	/** The default suits current disks and memory sizes. */
	readonly flushLimits?: FlushLimits | undefined;
	/** The database to use instead of the directory's own; closed with the chain. */
	readonly storage?: KeyValueDatabase | undefined;
	/** File system of the block log; default: the disk. */
	readonly logFiles?: LogFiles | undefined;
	/** When old blocks move into segments; the default suits current disks. */
	readonly moverLimits?: MoverLimits | undefined;
	/** How many blocks are kept; overrides the configuration. */
	readonly keptBlocks?: number | undefined;
	/** File system of the segments; default: the disk. */
	readonly segmentFiles?: SegmentFiles | undefined;
	/** Called once when storage fails: the node must stop. What was already answered is kept. */
	readonly onStorageFailure: (error: unknown) => void;
	/** Called where a chain's block log is gone before any of it was in the database. @param head the block that is left */
	readonly onLogLost?: ((head: bigint) => void) | undefined;
	/** Progress reports of the state hash, where it is maintained. */
	readonly stateHash?: StateHashReports | undefined;
	/** Called with what an observer threw, which must not reach the chain; absent: it ends the process. */
	readonly onObserverFailure?: ObserverFailure | undefined;
}

/** The options as the chain itself uses them. */
export interface ChainSettings {
	readonly balanceHistory: boolean;
	readonly transactionHistory: boolean;
	readonly logIndex: boolean;
	readonly pendingTimeoutMs: bigint;
	readonly sortPendingByFee: boolean;
	/** Whether shielded transfers may enter the pool. */
	readonly shieldedAllowed: boolean;
	readonly maxPendingShielded: number;
}
