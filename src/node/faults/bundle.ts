/**
 * A fault bundle: a block on which this node and others don't agree, with all that it takes to execute it again without a chain
 * (docs/audit.md). It holds what stands in blocks, in the state and in the rules of the chain, and nothing of the node's own.
 */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import { OperatorError } from "../../protocol/operator-error.js";
import type { ChainRules } from "../rules/chain-rules.js";
import type { PropertySeed } from "../state/property-table.js";
import type { VmSettings } from "../vm/contract-machine.js";
import type { BlockRun } from "./block-run.js";
import type { StateReads } from "./block-state.js";

/** Who found the fault: this node refused a block, or a comparison with another node ended in a difference. */
export type FaultKind = "refused" | "audit";

/** The rules that a block was executed with, without what is loaded with a program. */
export interface RulesInForce {
	readonly rules: Omit<ChainRules, "shieldedPool" | "development">;
	/** Whether something checked the proofs of shielded transfers, and the token that the pool shields. */
	readonly shieldedToken: string | undefined;
	readonly seed: SeedFacts;
	readonly machine: MachineFacts;
	/** Of addresses: 0x41 on all public networks. */
	readonly addressPrefix: number;
}

/** What initial values of properties depend on, with the parameters that the configuration names. */
interface SeedFacts extends Omit<PropertySeed, "committee"> {
	readonly committee: ReadonlyMap<string, bigint>;
}

type MachineFacts = Pick<
	VmSettings,
	"limitTime" | "minTimeRatio" | "maxTimeRatio" | "saveInternal" | "saveFeaturedInternal" | "dialect"
>;

/** Something of which two nodes say different things. */
export interface Difference {
	/** The transaction, 64 hexadecimal digits, or the account or contract; empty: the block. */
	readonly subject: string;
	/** The member of it. */
	readonly what: string;
	readonly ours: string;
	readonly theirs: string;
}

export interface FaultBundle {
	readonly kind: FaultKind;
	/** Which program found it. */
	readonly program: string;
	readonly block: SignedBlock;
	readonly inForce: RulesInForce;
	/** What the block read; undefined: the state before it was not kept any more, or it is too large. */
	readonly reads: StateReads | undefined;
	/** Why `reads` is undefined. */
	readonly without: string | undefined;
	/** What we came to. */
	readonly computed: BlockRun;
	/** The receipts that the other node has; empty: the results in the block are what was recorded. */
	readonly recorded: readonly Readonly<TransactionInfo>[];
	readonly differences: readonly Difference[];
}

/** A file of a bundle, packed. This and the bounds below are of bundles that a node writes, and of those of others that are read. */
export const MAX_FILE_BYTES = 64 << 20;
/** Its lines, unpacked. */
export const MAX_UNPACKED_BYTES = 256 << 20;
/** The longest line: a block of the greatest size as digits, and receipts likewise. */
export const MAX_LINE_BYTES = 32 << 20;
/** Members, elements, objects and lists of one line: the description has two thousand rows at most, a line of keys a thousand. */
export const LINE_LIMITS = { values: 20_000, depth: 6 };
/** Lines, and keys in them. */
export const MAX_BUNDLE_ITEMS = 1_000_000;
/** Embedded messages and elements of lists of one value, and of all that a block reads: these take memory. */
export const MAX_VALUE_ITEMS = 500_000;
export const MAX_DECODED_ITEMS = 16_000_000;
/** Texts of the first line, in characters. */
export const MAX_TEXT = 4_096;
/** Differences that a bundle lists. */
export const MAX_DIFFERENCES = 1_000;
/** Files that a node keeps: the first ones, which tell how it began, and the newest ones. */
export const KEPT_FILES = { first: 8, newest: 24 } as const;
/** All files that a node keeps, in bytes. */
export const MAX_KEPT_BYTES = 256 << 20;

/** A file is not a bundle that can be read; the message is one sentence. */
export class BundleError extends OperatorError {
	override readonly name = "BundleError";
}

/** A block reads more than a bundle holds. */
export class BundleTooLargeError extends Error {
	override readonly name = "BundleTooLargeError";

	constructor() {
		super(`the block reads more than a bundle holds (${MAX_UNPACKED_BYTES / 4} bytes)`);
	}
}
