/** What decoding a request may take. */

import { budgetOfBytes, type DecodeBudget } from "../../protocol/codec/budget.js";
import { MAX_TRANSACTION_SIZE } from "../chain/transaction-checks.js";

/**
 * No request is larger than a transaction, and none of its bytes is refused here, since what is too long has an answer
 * of its own; but it can't have more items than the largest transaction has room for.
 */
export const REQUEST_BUDGET: DecodeBudget = {
	...budgetOfBytes(MAX_TRANSACTION_SIZE),
	bytes: Number.POSITIVE_INFINITY,
};
