/**
 * A fault bundle: a block on which this node and others disagree, with all data to execute it again without a
 * chain (docs/audit.md). It contains data of blocks, state and rules, and nothing of the node's own.
 */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import { OperatorError } from "../../protocol/operator-error.js";
import type { ChainRules } from "../rules/chain-rules.js";
import type { PropertySeed } from "../state/property-table.js";
import type { VmSettings } from "../vm/contract-machine.js";
import type { BlockRun } from "./block-run.js";
import type { StateReads } from "./block-state.js";

/** How the fault was found: this node refused a block, or an audit found a difference to another node. */
export type FaultKind = "refused" | "audit";

/** The rules a block was executed with, except what a program loads. */
export interface RulesInForce {
	readonly rules: Omit<ChainRules, "shieldedPool" | "development">;
	/** The shielded token's id, if proofs of shielded transfers were checked. */
	readonly shieldedToken: string | undefined;
	readonly seed: SeedFacts;
	readonly machine: MachineFacts;
	/** First byte of addresses: 0x41 on all public networks. */
	readonly addressPrefix: number;
}

/** Inputs of initial property values, with the configured parameters. */
interface SeedFacts extends Omit<PropertySeed, "committee"> {
	readonly committee: ReadonlyMap<string, bigint>;
}

type MachineFacts = Pick<
	VmSettings,
	"limitTime" | "minTimeRatio" | "maxTimeRatio" | "saveInternal" | "saveFeaturedInternal" | "dialect"
>;

/** Something on which two nodes differ. */
export interface Difference {
	/** Transaction id (64 hex digits), account or contract; empty: the block. */
	readonly subject: string;
	/** The differing member. */
	readonly what: string;
	readonly ours: string;
	readonly theirs: string;
}

export interface FaultBundle {
	readonly kind: FaultKind;
	/** Name and version of the program that found it. */
	readonly program: string;
	readonly block: SignedBlock;
	readonly inForce: RulesInForce;
	/** State read by the block; undefined if the state before it was pruned, or is too large. */
	readonly reads: StateReads | undefined;
	/** Why `reads` is undefined. */
	readonly without: string | undefined;
	/** Our result. */
	readonly computed: BlockRun;
	/** The other node's receipts; if empty, the results in the block are the reference. */
	readonly recorded: readonly Readonly<TransactionInfo>[];
	readonly differences: readonly Difference[];
}

/** Compressed bytes of a file. This and the bounds below apply to writing and reading bundles. */
export const MAX_FILE_BYTES = 64 << 20;
/** Uncompressed bytes. */
export const MAX_UNPACKED_BYTES = 256 << 20;
/** The longest line: a block of maximum size in hex, or its receipts. */
export const MAX_LINE_BYTES = 32 << 20;
/** JSON values and nesting of one line: the description has up to two thousand, a line of keys a thousand. */
export const LINE_LIMITS = { values: 20_000, depth: 6 };
/** Lines, and keys in them. */
export const MAX_BUNDLE_ITEMS = 1_000_000;
/** Embedded messages and list elements of one value, and of all values read by a block: bounds memory. */
export const MAX_VALUE_ITEMS = 500_000;
export const MAX_DECODED_ITEMS = 16_000_000;
/** Characters of a text in the first line. */
export const MAX_TEXT = 4_096;
/** Differences listed in a bundle. */
export const MAX_DIFFERENCES = 1_000;
/** Files a node keeps: the first ones, which show how it began, and the newest. */
export const KEPT_FILES = { first: 8, newest: 24 } as const;
/** Bytes of all files a node keeps. */
export const MAX_KEPT_BYTES = 256 << 20;

/** The file isn't a readable bundle; one sentence. */
export class BundleError extends OperatorError {
	override readonly name = "BundleError";
}

/** The block reads more than a bundle can hold. */
export class BundleTooLargeError extends Error {
	override readonly name = "BundleTooLargeError";

	constructor() {
		super(`the block reads more than a bundle holds (${MAX_UNPACKED_BYTES / 4} bytes)`);
	}
}
