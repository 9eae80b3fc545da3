/**
 * Limits on decoding one input.
 *
 * A field costs a few nanoseconds and allocates nothing unless it is an item: unknown fields are kept as one
 * slice, and a repeated scalar replaces the previous one. So the byte limit bounds fields, and the item limit
 * bounds memory. An item takes at least two bytes: a budget of half the bytes that a network rule allows
 * refuses nothing the network accepts.
 */

export interface DecodeBudget {
	/** Length of the input. */
	readonly bytes: number;
	/** Embedded messages and list elements, over all levels. */
	readonly items: number;
	/** Nesting depth of messages; the network allows 100. */
	readonly depth: number;
}

export const MAX_DEPTH = 100;

/** For data this program wrote itself, of any size. */
export const ANY_BUDGET: DecodeBudget = {
	bytes: Number.POSITIVE_INFINITY,
	items: Number.POSITIVE_INFINITY,
	depth: MAX_DEPTH,
};

/** Budget for inputs of up to `bytes` bytes; refuses no valid input. */
export function budgetOfBytes(bytes: number): DecodeBudget {
	return { bytes, items: Math.floor(bytes / 2), depth: MAX_DEPTH };
}
