/** Command line options of `coin node start` beside the configuration file (protocol/configuration §1.2). */

import type { NetworkPreset } from "./networks/networks.js";
import type { SettingPath } from "./settings-table.js";

export interface StartOptions {
	/** Configuration of a public network below the file (`--network`). */
	readonly preset?: NetworkPreset | undefined;
	/** Produce blocks (`--witness`). */
	readonly witness?: boolean;
	/** A block producer's private key; overrides the file's keys (`--private-key`). */
	readonly privateKey?: string;
	/** Base58 account the key signs for; ignored without the key or if malformed (`--witness-address`). */
	readonly witnessAddress?: string;
	/** The virtual machine never times out (`--debug`). */
	readonly debug?: boolean;
	/** Don't start the peer network (`--p2p-disable true`). */
	readonly peersDisabled?: boolean;
	/** Be a fast-forward relay node (`--fast-forward`). */
	readonly fastForward?: boolean;
	/** Publish events as configured in `event.subscribe` (`--es`). */
	readonly events?: boolean;
	/** Full paths of keys in the file that count as absent, since their errors are already reported. */
	readonly ignored?: readonly string[];
	/** Values that override the file. */
	readonly over?: FlagValues;
	/** Values used where the file has none. */
	readonly instead?: FlagValues;
	/** Fallback values up to release 4.8.1; they override the file from 4.8.2 on (protocol/releases §6). */
	readonly standInFirst?: FlagValues;
	/** Values ignored up to release 4.8.1; they override the file from 4.8.2 on. */
	readonly newer?: FlagValues;
}

/** Flag values by key path, each of the key's type. */
export type FlagValues = ReadonlyMap<SettingPath, unknown>;

/** Command line choices for this run. */
export interface RunConfig {
	readonly witness: boolean;
	readonly debug: boolean;
	readonly peers: boolean;
	readonly fastForward: boolean;
}

/** Merges flags; for the same key the later wins. */
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
