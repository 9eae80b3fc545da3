/** New notes of transactions. */

import type { ReceiveDescription, ShieldedTransferContract } from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";

/** The new notes of a transaction, if it is a shielded transfer. */
export function outputsOf(transaction: SignedTransaction): readonly Readonly<ReceiveDescription>[] {
	if (transaction.type?.name !== "ShieldedTransferContract") return [];
	return (transaction.parameter as ShieldedTransferContract).receive_description;
}
