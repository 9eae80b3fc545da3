/** Fixed facts of a chain. */

import { PUBLIC_NETWORK_NAMES, type PublicNetwork } from "../../protocol/public-networks.js";
import type { ShieldedProofs } from "../shielded/proofs.js";
import type { NoteTreeHasher } from "../state/note-trees.js";
import type { Release } from "./release.js";

/** Networks whose numbering differs (protocol/consensus §6.4). Private chains count as main. */
export const NETWORKS = PUBLIC_NETWORK_NAMES;

export type NetworkName = PublicNetwork;

/** The chain's shielded pool, if the node can verify its proofs (protocol/shielded §4). */
export interface ShieldedPool {
	/** Id of the shielded token (`node.zenTokenId`). */
	readonly tokenId: string;
	readonly proofs: ShieldedProofs;
	readonly trees: NoteTreeHasher;
}

/** Facts of a chain that are fixed by configuration and not part of the state. */
export interface ChainRules {
	readonly genesisTimestampMs: bigint;
	/** 32 bytes. */
	readonly genesisId: Uint8Array;
	/** The account that receives fees while burning is off. */
	readonly blackHole: Uint8Array;
	/** Witnesses of the genesis block with their initial votes. */
	readonly genesisWitnesses: readonly { readonly address: Uint8Array; readonly votes: bigint }[];
	/** Lifetime of proposals, in milliseconds (`block.proposalExpireTime`). */
	readonly proposalExpireMs: bigint;
	/** Height from which the energy-limit rules apply (`enery.limit.block.num`). */
	readonly energyLimitHeight: bigint;
	/** Whether the duration of generation 1 stakes is checked (`block.checkFrozenTime` is 1). */
	readonly checkFrozenTime: boolean;
	/** Whether cancelling all unstaking records details (`vm.saveCancelAllUnfreezeV2Details`). */
	readonly saveCancelDetails: boolean;
	/** Allowed contract handler classes (`actuator.whitelist`); absent: all. */
	readonly allowedHandlers?: ReadonlySet<string>;
	/**
	 * The release whose admission checks apply (`node.release`). It doesn't affect what a valid block does to
	 * the state, except for a few rows that releases keep differently (protocol/releases §2).
	 */
	readonly release: Release;
	/** The network whose version and parameter numbers apply (`node.network`); absent: main. */
	readonly network?: NetworkName;
	/** The version voted for by this node's blocks (`block.version`); absent: the release's newest. */
	readonly blockVersion?: number;
	/** Whether note tree roots are stored per block: not in release 4.8.0 with shielded transactions off. */
	readonly keepsNoteTree: boolean;
	/** Absent if no verifier for shielded transfers is loaded. */
	readonly shieldedPool?: ShieldedPool | undefined;
	/** Absent on every network: blocks follow the network's slots. */
	readonly development?: DevelopmentSchedule;
}

/** Block timing of a development chain (protocol/development-chain §3): on demand, not in slots. */
export interface DevelopmentSchedule {
	/** The chain's clock: the time of a block sealed now, in milliseconds since 1970. */
	readonly now: () => bigint;
	/** Minimum distance of blocks in milliseconds; transactions must not expire before it. */
	readonly slotMs: bigint;
	/** Accounts whose keys this node holds: only they produce and count for solidification. */
	readonly producers: readonly Uint8Array[];
	/** Distance of the solidified number from the head. */
	readonly solidLag: bigint;
	/** Unstaking delay that replaces the parameter's days; undefined: those days. */
	readonly unstakeDelayMs?: bigint | undefined;
	/** Whether an account's transactions need no signature (protocol/development-chain §4.3). */
	readonly actsUnsigned?: ((owner: Uint8Array) => boolean) | undefined;
}
