/** What decoding a request may take. */

import { type DecodeBudget, MAX_DEPTH } from "../../protocol/codec/budget.js";

/**
 * Items of a request: results, signatures, contracts, votes, keys of permissions, notes. The largest transaction has a few hundred;
 * what consists of empty items is refused before it has become much.
 */
const MAX_ITEMS = 10_000;

/** None of a request's bytes is refused here, since what is too long has an answer of its own. */
export const REQUEST_BUDGET: DecodeBudget = {
	bytes: Number.POSITIVE_INFINITY,
	items: MAX_ITEMS,
	depth: MAX_DEPTH,
};
