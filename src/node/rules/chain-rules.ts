/** What is fixed about a chain before its first block. */

import { PUBLIC_NETWORK_NAMES, type PublicNetwork } from "../../protocol/public-networks.js";
import type { ShieldedProofs } from "../shielded/proofs.js";
import type { NoteTreeHasher } from "../state/note-trees.js";
import type { Release } from "./release.js";

/** Networks whose numbers differ (protocol/consensus §6.4). A chain of its own counts as the main network does. */
export const NETWORKS = PUBLIC_NETWORK_NAMES;

export type NetworkName = PublicNetwork;

/** The chain's own pool of shielded notes, where the node has what checks its proofs (protocol/shielded §4). */
export interface ShieldedPool {
	/** Of the token that is shielded, as the configuration has it (`node.zenTokenId`). */
	readonly tokenId: string;
	readonly proofs: ShieldedProofs;
	readonly trees: NoteTreeHasher;
}

/** The facts of a chain that are fixed by its configuration and don't live in the state. */
export interface ChainRules {
	readonly genesisTimestampMs: bigint;
	/** 32 bytes. */
	readonly genesisId: Uint8Array;
	/** The account that receives fees while burning is off. */
	readonly blackHole: Uint8Array;
	/** Witnesses of the genesis block, with the votes they were given there. */
	readonly genesisWitnesses: readonly { readonly address: Uint8Array; readonly votes: bigint }[];
	/** How long a proposal stays open, in milliseconds (`block.proposalExpireTime`). */
	readonly proposalExpireMs: bigint;
	/** Height from which the energy-limit rules hold (`enery.limit.block.num`). */
	readonly energyLimitHeight: bigint;
	/** Stakes of generation 1 must last as long as the chain's limits say (`block.checkFrozenTime` is 1). */
	readonly checkFrozenTime: boolean;
	/** Cancelling all unstaking records its details (`vm.saveCancelAllUnfreezeV2Details`). */
	readonly saveCancelDetails: boolean;
	/** Classes of the handlers of contract types that this node executes (`actuator.whitelist`); absent: all. */
	readonly allowedHandlers?: ReadonlySet<string>;
	/**
	 * Whose checks stand at the doors for transactions and pushed blocks (`node.release`). What a valid block does to the
	 * state doesn't depend on it, but for a few rows that the releases keep differently for themselves (protocol/releases §2).
	 */
	readonly release: Release;
	/** Whose numbers of versions and parameters hold (`node.network`); absent: the main network's. */
	readonly network?: NetworkName;
	/** The version that blocks of this node vote for (`block.version`); absent: the newest that the release knows. */
	readonly blockVersion?: number;
	/** Whether the root of the tree of notes is recorded with each block: not by release 4.8.0 while shielded transactions are off. */
	readonly keepsNoteTree: boolean;
	/** Absent: nothing is loaded that checks shielded transfers. */
	readonly shieldedPool?: ShieldedPool | undefined;
	/** Absent on every network: blocks stand in the network's slots. */
	readonly development?: DevelopmentSchedule;
}

/** How a development chain times its blocks (protocol/development-chain §3): by demand, not by the network's slots. */
export interface DevelopmentSchedule {
	/** The chain's clock in milliseconds since 1970: the time that a block sealed now has. */
	readonly now: () => bigint;
	/** Least distance of two blocks in milliseconds; transactions must not expire before it. */
	readonly slotMs: bigint;
	/** The accounts whose keys this node holds: only they produce, and only they count for solidification. */
	readonly producers: readonly Uint8Array[];
	/** How far the solidified number stays behind the head. */
	readonly solidLag: bigint;
	/** How long unstaked coins wait, in place of the parameter's days; undefined: those days. */
	readonly unstakeDelayMs?: bigint | undefined;
	/** Whether an account's transactions count without a signature (protocol/development-chain §4.3). */
	readonly actsUnsigned?: ((owner: Uint8Array) => boolean) | undefined;
}
