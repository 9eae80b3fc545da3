/** A transaction as answers carry it (protocol/grpc §2.1). */

import { Return, TransactionExtention } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";

/** A transaction with its id and a result that says success. */
export function transactionExtention(transaction: SignedTransaction): TransactionExtention {
	return TransactionExtention.create({
		transaction: transaction.message,
		txid: transaction.id,
		result: Return.create({ result: true }),
	});
}
