/** Client transactions of a simulation. */

import { Any, Transaction, TransactionContract, TransactionRaw } from "../../src/protocol/messages.js";
import { SignedTransaction } from "../../src/protocol/transaction.js";
import type { Randomness } from "./randomness.js";

/** A unique transaction that the model chain accepts. */
export function modelTransaction(random: Randomness, nowMs: bigint): SignedTransaction {
	const contract = TransactionContract.create({
		type: 1,
		parameter: Any.create({ value: random.bytes(40) }),
	});
	const raw = TransactionRaw.create({ contract: [contract], expiration: nowMs + 60_000n, timestamp: nowMs });
	return new SignedTransaction(Transaction.create({ raw_data: raw, signature: [random.bytes(65)] }));
}
