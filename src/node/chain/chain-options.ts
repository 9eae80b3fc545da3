/** What a chain is opened with: its configuration, its storage, and what the rest of the node does for it. */

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

// A chain that begins with the state of another node instead of its own genesis: for development chains.

/** What the configuration says of any other chain. */
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
	 * The database with the other state below it.
	 * @param isNew whether the database is empty
	 * @throws {OperatorError} if the other node can't be read
	 */
	under(database: KeyValueDatabase, isNew: boolean): Promise<KeyValueDatabase>;
}

/** When the base goes to the database. */
export interface FlushLimits {
	/** Changed entries. */
	readonly entries: number;
	/** Bytes of log. */
	readonly logBytes: number;
}

/** Moments in following the hash of the state. */
interface StateHashReports {
	/** It begins with a pass over the database, in the background. */
	readonly onCounting: () => void;
	/** The pass has ended: from now on there are hashes. */
	readonly onCounted: (entries: number) => void;
	/** It can't go on; the chain does. */
	readonly onFailure: (error: unknown) => void;
}

export interface ChainOptions {
	readonly config: NodeConfig;
	/** Undefined: the chain lives in memory and is gone with the process. */
	readonly dataDirectory: string | undefined;
	/** Milliseconds of a clock that only goes forward: how long transactions wait. */
	readonly clock: () => bigint;
	readonly machine: MachineRunner;
	/** What transactions may read of the state, guessed; absent: only what they name is fetched ahead. */
	readonly guess?: ReadGuess | undefined;
	/** What checks shielded proofs; absent: a network's chain that needs it is not opened. */
	readonly shielded?: Pick<ShieldedPool, "proofs" | "trees"> | undefined;
	/** Notified of a block that can't be judged: the node must stop. */
	readonly onUnverifiable?: ((error: Error) => void) | undefined;
	/** How a development chain times its blocks; absent for every network. */
	readonly development?: DevelopmentSchedule | undefined;
	/** The state of another node in the place of a genesis: for development chains alone. */
	readonly fork?: ForkedState | undefined;
	/** Writes to the state of a chain that is being created, after genesis. */
	readonly initialize?: ((state: StateView) => void) | undefined;
	/** The default suits a disk and a memory of today. */
	readonly flushLimits?: FlushLimits | undefined;
	/** The database instead of the directory's own; closed with the chain. */
	readonly storage?: KeyValueDatabase | undefined;
	/** Where the block log's files are; the disk's if absent. */
	readonly logFiles?: LogFiles | undefined;
	/** When old blocks move into segments; the default suits a disk of today. */
	readonly moverLimits?: MoverLimits | undefined;
	/** How many blocks stay, instead of what the configuration says. */
	readonly keptBlocks?: number | undefined;
	/** Where the segments are; the disk's if absent. */
	readonly segmentFiles?: SegmentFiles | undefined;
	/** Called once when the storage fails: the node must stop. What was answered before is kept. */
	readonly onStorageFailure: (error: unknown) => void;
	/** What is said of the hash of the state, where it is followed. */
	readonly stateHash?: StateHashReports | undefined;
	/** Called with what an observer of the chain threw, which must not reach the chain; absent: it ends the process. */
	readonly onObserverFailure?: ObserverFailure | undefined;
}

/** What a chain takes of its options. */
export interface ChainSettings {
	readonly balanceHistory: boolean;
	readonly transactionHistory: boolean;
	readonly logIndex: boolean;
	readonly pendingTimeoutMs: bigint;
	readonly sortPendingByFee: boolean;
	/** Whether shielded transfers enter the pool. */
	readonly shieldedAllowed: boolean;
	readonly maxPendingShielded: number;
}
