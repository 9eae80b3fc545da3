/** Transactions that wait for a block (protocol/http-endpoints §5). */

import { toHex } from "../../../protocol/bytes.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { TransactionIdList } from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import type { ApiNode } from "../context.js";

const ID_LENGTH = 32;

/** A transaction of the pool. @throws {NamedError} if `id` has not 32 bytes */
export function pendingTransaction({ pool }: ApiNode, id: Uint8Array): SignedTransaction | undefined {
	if (id.length !== ID_LENGTH) throw new NamedError("IllegalArgumentException", null);
	return pool.find(toHex(id));
}

/** The ids of the transactions in the pool, in hexadecimal. */
export function pendingIds({ pool }: ApiNode): TransactionIdList {
	return TransactionIdList.create({ txId: pool.list().map(({ transaction }) => transaction.idHex) });
}
