/**
 * What decoding one input may take.
 *
 * A field costs a few nanoseconds and leaves nothing behind unless it is an item: fields that the schema doesn't know
 * are kept as one slice however many there are, and a scalar that comes again replaces the one before. So bytes bound
 * the fields, and items bound the memory. An item takes at least two bytes of input, so an input of n bytes never has
 * more than n/2: a budget of half the bytes that a rule of the network allows refuses nothing that the network takes.
 */

export interface DecodeBudget {
	/** Length of the input. */
	readonly bytes: number;
	/** Embedded messages and elements of lists, at all levels together. */
	readonly items: number;
	/** Levels of embedded messages; the network allows a hundred. */
	readonly depth: number;
}

export const MAX_DEPTH = 100;

/** For what this program wrote itself: records of any size. */
export const ANY_BUDGET: DecodeBudget = {
	bytes: Number.POSITIVE_INFINITY,
	items: Number.POSITIVE_INFINITY,
	depth: MAX_DEPTH,
};

/** The budget of inputs of up to `bytes` bytes of which nothing else is known: no valid one is refused. */
export function budgetOfBytes(bytes: number): DecodeBudget {
	return { bytes, items: Math.floor(bytes / 2), depth: MAX_DEPTH };
}
