/** What a transaction does in one sentence, with units, as far as its bytes can be read. */

import { DecodeError } from "../../protocol/codec/reader.js";
import { contractTypeById } from "../../protocol/contract-types.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import { contractSummary } from "./contract-summary.js";

/** @param called the call of a contract in words, where it is known; undefined: what it does can't be read */
export function transactionSummary(transaction: SignedTransaction, called?: string): string | undefined {
	const type = contractTypeById(transaction.contract?.type ?? -1);
	if (!type || transaction.owner.length === 0) return undefined;
	try {
		return contractSummary({ type, parameter: transaction.parameter }, transaction.owner, called);
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return undefined;
		throw error;
	}
}
