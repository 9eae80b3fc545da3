/** Estimates disk space, entries and time of an adoption from a few samples, before anything is written. */

import { REFERENCE_WINDOW } from "./adoption-checks.js";
import type { BlockChoice } from "./adoption-mark.js";
import type { Judgement } from "./judgement.js";
import { BLOCK_STORES } from "./source-stores.js";

export interface AdoptionCost {
	/** Maximum size of the new directory in bytes. */
	readonly needed: number;
	/** Entries to copy, and the estimated seconds. */
	readonly entries: number;
	readonly seconds: number;
}

/** Our tables are about as large as theirs: both are compressed alike. */
const SPARE_SHARE = 0.1;
/** Bytes per entry of `trans` and `block-index`. */
const INDEX_ENTRY_BYTES = 48;
/** Time per entry besides its bytes (docs/benchmarks.md, on two shared cores), including its part in both hashes. */
const ENTRY_SECONDS = 15e-6;
const BYTE_SECONDS = 1.2e-8;

export function adoptionCost(
	{ storeBytes, storeEntries, blockBytes, head, lowest }: Judgement,
	choice: BlockChoice,
): AdoptionCost {
	const isCopied = (name: string): boolean => choice === "copy" || !BLOCK_STORES.includes(name);
	const sum = (values: ReadonlyMap<string, number>): number =>
		[...values].reduce((all, [name, value]) => all + (isCopied(name) ? value : 0), 0);
	const there = head.number - lowest + 1n;
	const kept = choice === "copy" ? 0 : Number(there < REFERENCE_WINDOW ? there : REFERENCE_WINDOW);
	// Transactions take a few hundred bytes each, plus an index entry.
	const keptEntries = kept * (2 + Math.ceil(blockBytes / 300));
	const bytes = sum(storeBytes) + kept * blockBytes + keptEntries * INDEX_ENTRY_BYTES;
	const entries = sum(storeEntries) + keptEntries;
	return {
		needed: Math.ceil(bytes * (1 + SPARE_SHARE)),
		entries,
		seconds: Math.ceil(entries * ENTRY_SECONDS + bytes * BYTE_SECONDS),
	};
}
