/** Transactions: sending them, finding them, who signed them, and the pool (protocol/grpc §§2.2, 2.5, 2.6). */

import { NumberMessage, type Transaction, TransactionInfoList } from "../../../../protocol/messages.js";
import { SignedTransaction } from "../../../../protocol/transaction.js";
import { transactionById, transactionInfoById, transactionInfosOfBlock } from "../../../chain/block-store.js";
import { broadcastReturn } from "../../broadcast.js";
import type { ApiContext } from "../../context.js";
import { pendingIds, pendingTransaction } from "../../queries/pool.js";
import { approvedList, signWeight } from "../../queries/signatures.js";
import { transactionExtention } from "../../transaction-extention.js";
import { type Handlers, withoutReason, withReason } from "../method.js";

/** A transaction that a client sends, as the node's network reads it. @throws {DecodeError} */
function received({ node }: ApiContext, message: Readonly<Transaction>): SignedTransaction {
	const transaction = new SignedTransaction(message);
	return node.rules.network === "nile" ? transaction.asReadOnNile() : transaction;
}

export const transactions = {
	BroadcastTransaction: async (context, message) => {
		const result = await context.broadcaster.broadcast(received(context, message), context);
		return broadcastReturn(result, context.style.dialect);
	},
	GetTransactionById: ({ state }, { value }) => transactionById(state, value)?.message,
	GetTransactionInfoById: ({ state }, { value }) => transactionInfoById(state, value),
	GetTransactionInfoByBlockNum: withReason(({ state }, { num }) =>
		TransactionInfoList.create({ transactionInfo: transactionInfosOfBlock(state, num) }),
	),
	GetTransactionSignWeight: async (context, message) => {
		const { answer, shown } = await signWeight(context, received(context, message));
		if (shown) answer.transaction = transactionExtention(shown);
		return answer;
	},
	GetTransactionApprovedList: async (context, message) => {
		const { answer, shown } = await approvedList(context, received(context, message));
		if (shown) answer.transaction = transactionExtention(shown);
		return answer;
	},
	GetTransactionFromPending: withoutReason(({ node }, { value }) => pendingTransaction(node, value)?.message),
	GetTransactionListFromPending: withoutReason(({ node }) => pendingIds(node)),
	GetPendingSize: withoutReason(({ node }) => NumberMessage.create({ num: BigInt(node.pool.size) })),
	TotalTransaction: () => new NumberMessage(),
} satisfies Partial<Handlers<"Wallet">>;
