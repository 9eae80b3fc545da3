/** Transactions, their receipts, and the pending pool (protocol/http-endpoints §3.2, §5). */

import { itemPieces } from "../../../protocol/json/message-pieces.js";
import { type JsonStyle, longText, mapOrderedMessage } from "../../../protocol/json/message-writer.js";
import { transactionJson } from "../../../protocol/json/transaction-json.js";
import {
	BytesMessage,
	EmptyMessage,
	NumberMessage,
	ResourceReceipt,
	TransactionIdList,
	TransactionInfo,
} from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import {
	blockByNumber,
	locateTransaction,
	receiptsCost,
	receiptsInTurn,
	transactionById,
	transactionInfoById,
	transactionInfosOfBlock,
} from "../../chain/block-store.js";
import type { ApiContext } from "../context.js";
import {
	defineEndpoint,
	type Endpoint,
	EVERYWHERE,
	hexParameter,
	longParameter,
	mapOrdered,
	messageRequest,
	noRequest,
	printed,
	type ReplyWriter,
	visibleOnly,
	written,
} from "../endpoint.js";
import { LongAnswer } from "../long-answer.js";
import { pendingIds, pendingTransaction, shownInfo, withVisibleLogs } from "../queries/transactions.js";

const byId = messageRequest(BytesMessage, { value: hexParameter });
const byNumber = messageRequest(NumberMessage, { num: longParameter });

/** The block of a transaction; undefined if it is pending or unknown. */
function placeOf({ state }: ApiContext, { value }: BytesMessage): bigint | undefined {
	const place = locateTransaction(state, value);
	return place && "block" in place ? place.block : undefined;
}

const oneTransaction: ReplyWriter<SignedTransaction | undefined> = ({ style }, transaction) =>
	transaction ? transactionJson(transaction, style) : "{}";

function* infoPieces(infos: Iterable<Readonly<TransactionInfo>>, style: JsonStyle): Generator<string> {
	let before = "[";
	for (const info of infos) {
		yield before;
		before = ",";
		yield* itemPieces(TransactionInfo, [withVisibleLogs(style, info)], style, "mapOrdered");
	}
	yield before === "[" ? "[]" : "]";
}

export const transactionEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "gettransactionbyid",
		about: "A transaction of a block or of the pool.",
		servers: EVERYWHERE,
		request: byId,
		reply: oneTransaction,
		answers: "Transaction",
		blockOf: placeOf,
		handle: ({ state }, { value }) => transactionById(state, value),
	}),
	defineEndpoint({
		name: "gettransactioninfobyid",
		about: "What became of a transaction: block, fees, logs; nothing while it is pending.",
		servers: EVERYWHERE,
		request: byId,
		reply: printed(TransactionInfo),
		blockOf: placeOf,
		handle: (context, { value }) => {
			const info = transactionInfoById(context.state, value);
			return info && shownInfo(context.style, info);
		},
	}),
	defineEndpoint({
		name: "gettransactionreceiptbyid",
		about: "The resources that a transaction used.",
		servers: ["full"],
		request: byId,
		reply: written,
		handle: ({ state, style }, { value }) => {
			const info = transactionInfoById(state, value);
			if (!info) return "{}";
			return `{"Receipt":${mapOrderedMessage(ResourceReceipt, info.receipt ?? new ResourceReceipt(), style)}}`;
		},
	}),
	defineEndpoint({
		name: "gettransactioninfobyblocknum",
		about: "What became of each transaction of a block.",
		servers: ["full", "solidity"],
		request: byNumber,
		answers: "TransactionInfos",
		reply: written,
		blockOf: (_, { num }) => num,
		handle: (context, { num }) => {
			if (num <= 0n) return "{}";
			const cost = receiptsCost(context.state, num);
			if (cost === undefined) {
				return new LongAnswer(infoPieces(transactionInfosOfBlock(context.state, num), context.style));
			}
			const { node, server, style } = context;
			// Reads the state current when the answer is actually sent.
			const pieces = function* (): Generator<string> {
				yield* infoPieces(receiptsInTurn(node.view(server), num), style);
			};
			return new LongAnswer(pieces(), cost);
		},
	}),
	defineEndpoint({
		name: "gettransactioncountbyblocknum",
		about: "How many transactions a block has.",
		servers: EVERYWHERE,
		request: byNumber,
		reply: written,
		handle: ({ state, style }, { num }) =>
			`{"count": ${longText(blockByNumber(state, num)?.transactions.length ?? 0, style)}}`,
	}),
	defineEndpoint({
		name: "totaltransaction",
		about: "Kept for clients that still ask: the network answers nothing.",
		post: "query",
		servers: ["full"],
		request: visibleOnly,
		reply: printed(EmptyMessage),
		handle: () => new EmptyMessage(),
	}),
	defineEndpoint({
		name: "gettransactionfrompending",
		about: "A transaction of the pool.",
		servers: ["full"],
		request: byId,
		reply: oneTransaction,
		answers: "Transaction",
		handle: ({ node }, { value }) => pendingTransaction(node, value),
	}),
	defineEndpoint({
		name: "gettransactionlistfrompending",
		about: "The ids of the transactions in the pool.",
		servers: ["full"],
		request: visibleOnly,
		reply: mapOrdered(TransactionIdList),
		handle: ({ node }) => pendingIds(node),
	}),
	defineEndpoint({
		name: "getpendingsize",
		about: "How many transactions wait for a block.",
		post: "query",
		servers: ["full"],
		request: noRequest,
		reply: written,
		handle: ({ node, style }) => `{"pendingSize": ${longText(node.pool.size, style)}}`,
	}),
];
