/**
 * What the command line of `coin node start` says beside the configuration file (protocol/configuration §1.2). Some flags only stand
 * in for a key that the file leaves out, some win over the file; the field says which.
 */

import type { PeerAddress } from "./peer-config.js";

export interface StartOptions {
	/** Produce blocks (`--witness`). */
	readonly witness?: boolean;
	/** A block producer's key as text; wins over the file's keys (`--private-key`). */
	readonly privateKey?: string;
	/** Base58 account for which that key signs; ignored without it or if malformed (`--witness-address`). */
	readonly witnessAddress?: string;
	/** The contract machine never times out (`--debug`). */
	readonly debug?: boolean;
	/** Send events (`--es`). */
	readonly events?: boolean;
	/** Do not start the peer network (`--p2p-disable true`). */
	readonly peersDisabled?: boolean;
	/** Be a fast-forward relay node (`--fast-forward`). */
	readonly fastForward?: boolean;
	/** Positional arguments; they replace the file's seeds. */
	readonly seeds?: readonly PeerAddress[];
	/** Wins over `node.trustNode`. */
	readonly trustNode?: string;
	/** Stand in for `vm.*` keys that are absent. */
	readonly supportConstant?: boolean;
	readonly maxEnergyLimitForConstant?: bigint;
	readonly lruCacheSize?: number;
	readonly minTimeRatio?: number;
	readonly maxTimeRatio?: number;
	readonly longRunningTime?: number;
	/** True wins over the file. */
	readonly saveCancelAllUnfreezeV2Details?: boolean;
	/** Win over `storage.*` and `event.subscribe.contractParse` unless empty. */
	readonly storageDbDirectory?: string;
	readonly storageDbEngine?: string;
	readonly storageDbSynchronous?: string;
	readonly storageTransactionHistorySwitch?: string;
	readonly contractParseEnable?: string;
}

/** How this run of the node differs from what its file alone would do. */
export interface RunConfig {
	readonly witness: boolean;
	readonly debug: boolean;
	readonly events: boolean;
	readonly peers: boolean;
	readonly fastForward: boolean;
}

export function readRun(options: StartOptions): RunConfig {
	return {
		witness: options.witness ?? false,
		debug: options.debug ?? false,
		events: options.events ?? false,
		peers: options.peersDisabled !== true,
		fastForward: options.fastForward ?? false,
	};
}
