/** What the command line of `coin node start` says beside the configuration file (protocol/configuration §1.2). */

import type { NetworkPreset } from "./networks/networks.js";
import type { SettingPath } from "./settings-table.js";

export interface StartOptions {
	/** What a public network says where the file is silent (`--network`). */
	readonly preset?: NetworkPreset | undefined;
	/** Produce blocks (`--witness`). */
	readonly witness?: boolean;
	/** A block producer's key as text; wins over the file's keys (`--private-key`). */
	readonly privateKey?: string;
	/** Base58 account for which that key signs; ignored without it or if malformed (`--witness-address`). */
	readonly witnessAddress?: string;
	/** The contract machine never times out (`--debug`). */
	readonly debug?: boolean;
	/** Do not start the peer network (`--p2p-disable true`). */
	readonly peersDisabled?: boolean;
	/** Be a fast-forward relay node (`--fast-forward`). */
	readonly fastForward?: boolean;
	/** Publish events as `event.subscribe` says (`--es`). */
	readonly events?: boolean;
	/** Full paths of keys whose values in the file count as absent: what is wrong with them is known already. */
	readonly ignored?: readonly string[];
	/** Values of keys that win over the file. */
	readonly over?: FlagValues;
	/** Values of keys that stand in where the file has none. */
	readonly instead?: FlagValues;
	/** Values that stand in up to release 4.8.1 and win over the file from 4.8.2 on (protocol/releases §6). */
	readonly standInFirst?: FlagValues;
	/** Values that count for nothing up to release 4.8.1 and win over the file from 4.8.2 on. */
	readonly newer?: FlagValues;
}

/** What flags say of keys, by path; each of the key's type. */
export type FlagValues = ReadonlyMap<SettingPath, unknown>;

/** How this run of the node differs from what its file alone would do. */
export interface RunConfig {
	readonly witness: boolean;
	readonly debug: boolean;
	readonly peers: boolean;
	readonly fastForward: boolean;
}

/** Flags together; of two that say something of one key the later counts. */
export function merged(...values: readonly (FlagValues | undefined)[]): FlagValues {
	return new Map(values.flatMap((some) => [...(some ?? [])]));
}

export function readRun(options: StartOptions): RunConfig {
	return {
		witness: options.witness ?? false,
		debug: options.debug ?? false,
		peers: options.peersDisabled !== true,
		fastForward: options.fastForward ?? false,
	};
}
