/**
 * The pool as Ethereum tools see it. Transactions have no ordering nonce: a sender's are numbered from 0 in
 * pool order, and any of them can go into the next block, so none is queued.
 */

import { toKey } from "../../../../protocol/bytes.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import type { ApiContext } from "../../context.js";
import { contractFacts } from "../../jsonrpc/contract-facts.js";
import { transactionAnswer } from "../../jsonrpc/lenient/answers.js";
import { energyPriceQuantity } from "../../jsonrpc/lenient/fees.js";
import type { RpcValue } from "../../jsonrpc/method.js";
import { objectStyleOf } from "../../jsonrpc/objects/style.js";
import { pendingTransactionObject } from "../../jsonrpc/objects/transaction.js";
import { ResponseTooLong } from "../../jsonrpc/rpc-error.js";
import { addressData, data, quantity } from "../../jsonrpc/values.js";
import { checkCount, readAccount } from "../arguments.js";
import { type DevelopmentMethods, ordinaryContext } from "../method.js";

/** Minimum size of a transaction in an answer, besides its own bytes. */
const OBJECT_SIZE = 600;

type Shown = (transaction: SignedTransaction, context: ApiContext) => unknown;
type OfSender = Readonly<Record<string, unknown>>;

/** A pending transaction as Ethereum libraries expect it. */
export function waitingTransaction(
	transaction: SignedTransaction,
	context: ApiContext,
): { readonly [member: string]: RpcValue } {
	const object = pendingTransactionObject(context.state, transaction, objectStyleOf(context));
	return transactionAnswer(object, energyPriceQuantity(context)) as { readonly [member: string]: RpcValue };
}

const line: Shown = (transaction, { state }) => {
	const { to, value, input } = contractFacts(state, transaction, undefined);
	const feeLimit = transaction.raw?.fee_limit ?? 0n;
	return `${addressData(to) ?? transaction.type?.name}: ${value} sun, fee limit ${feeLimit} sun, ${input.length} bytes of data`;
};

/** Pending transactions by sender and number. @param only of this sender @throws {ResponseTooLong} */
function bySender(context: ApiContext, shown: Shown, only?: Uint8Array): Readonly<Record<string, OfSender>> {
	const { maxResponseSize } = context.node.config.node.jsonrpc;
	const senders = new Map<string, Map<string, unknown>>();
	let size = 0;
	for (const { transaction } of context.node.pool.list()) {
		const { owner } = transaction;
		if (only && toKey(owner) !== toKey(only)) continue;
		size += OBJECT_SIZE + 2 * transaction.bytes.length;
		if (maxResponseSize > 0 && size > maxResponseSize) throw new ResponseTooLong(maxResponseSize);
		const sender = addressData(owner) ?? data(owner);
		const list = senders.get(sender) ?? new Map<string, unknown>();
		senders.set(sender, list.set(String(list.size), shown(transaction, context)));
	}
	return Object.fromEntries([...senders].map(([sender, list]) => [sender, Object.fromEntries(list)]));
}

export const poolMethods: DevelopmentMethods = [
	[["txpool_status"], ({ node }) => ({ pending: quantity(node.pool.queued), queued: "0x0" })],
	[
		["txpool_content"],
		(development) => ({ pending: bySender(ordinaryContext(development), waitingTransaction), queued: {} }),
	],
	[
		["txpool_contentFrom"],
		(development, params) => {
			checkCount(params, 1);
			const sender = readAccount(params[0]);
			const found = bySender(ordinaryContext(development), waitingTransaction, sender);
			return { pending: Object.values(found)[0] ?? {}, queued: {} };
		},
	],
	[
		["txpool_inspect"],
		(development) => ({ pending: bySender(ordinaryContext(development), line), queued: {} }),
	],
];
