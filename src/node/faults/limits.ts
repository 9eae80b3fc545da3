/** Bounds of fault bundles: of those that a node writes, and of those of others that are read. */

import { OperatorError } from "../../protocol/operator-error.js";

/** A file, packed. */
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
