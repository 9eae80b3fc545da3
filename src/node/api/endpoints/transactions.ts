/** Transactions, what became of them, and the pool of those that wait (protocol/http-endpoints §3.2, §5). */

import { addressFromHash } from "../../../protocol/address.js";
import { longText, mapOrderedMessage } from "../../../protocol/json/message-writer.js";
import { transactionJson } from "../../../protocol/json/transaction-json.js";
import {
	BytesMessage,
	EmptyMessage,
	NumberMessage,
	ResourceReceipt,
	TransactionIdList,
	TransactionInfo,
	TransactionInfoLog,
} from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
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
import { LongAnswer, listPieces } from "../long-answer.js";
import {
	blockByNumber,
	transactionById,
	transactionInfoById,
	transactionInfosOfBlock,
} from "../queries/blocks.js";
import { pendingIds, pendingTransaction } from "../queries/pool.js";

const BARE_ADDRESS_LENGTH = 20;

const byId = messageRequest(BytesMessage, { value: hexParameter });
const byNumber = messageRequest(NumberMessage, { num: longParameter });

const oneTransaction: ReplyWriter<SignedTransaction | undefined> = ({ style }, transaction) =>
	transaction ? transactionJson(transaction, style) : "{}";

/** Logs carry addresses without their prefix; where addresses are shown as text they get it. */
function withVisibleLogs(context: ApiContext, info: Readonly<TransactionInfo>): Readonly<TransactionInfo> {
	if (!context.style.visible || info.log.length === 0) return info;
	const copy = TransactionInfo.copy(info);
	copy.log = info.log.map((log) => {
		const { length } = log.address;
		if (length === 0 || length > BARE_ADDRESS_LENGTH) return log;
		const bare = new Uint8Array(BARE_ADDRESS_LENGTH);
		bare.set(log.address, BARE_ADDRESS_LENGTH - length);
		return TransactionInfoLog.create({ address: addressFromHash(bare), topics: log.topics, data: log.data });
	});
	return copy;
}

/** Energy of the contract's deployer without any energy used is not shown. */
function withoutStrayEnergy(info: Readonly<TransactionInfo>): Readonly<TransactionInfo> {
	const receipt = info.receipt;
	if (receipt?.energy_usage_total !== 0n || receipt.origin_energy_usage <= 0n) return info;
	const copy = TransactionInfo.copy(info);
	const cleared = ResourceReceipt.copy(receipt);
	cleared.origin_energy_usage = 0n;
	copy.receipt = cleared;
	return copy;
}

export const transactionEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "gettransactionbyid",
		about: "A transaction of a block or of the pool.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: byId,
		reply: oneTransaction,
		answers: "Transaction",
		handle: ({ state }, { value }) => transactionById(state, value),
	}),
	defineEndpoint({
		name: "gettransactioninfobyid",
		about: "What became of a transaction: block, fees, logs; nothing while it is pending.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: byId,
		reply: printed(TransactionInfo),
		handle: (context, { value }) => {
			const info = transactionInfoById(context.state, value);
			return info && withVisibleLogs(context, withoutStrayEnergy(info));
		},
	}),
	defineEndpoint({
		name: "gettransactionreceiptbyid",
		about: "The resources that a transaction used.",
		get: "query",
		post: "body",
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
		get: "query",
		post: "body",
		servers: ["full", "solidity"],
		request: byNumber,
		answers: "TransactionInfos",
		reply: written,
		handle: (context, { num }) => {
			if (num <= 0n) return "{}";
			const infos = transactionInfosOfBlock(context.state, num);
			const write = (info: Readonly<TransactionInfo>): string =>
				mapOrderedMessage(TransactionInfo, withVisibleLogs(context, info), context.style);
			return new LongAnswer(listPieces("[", infos, write, "]"));
		},
	}),
	defineEndpoint({
		name: "gettransactioncountbyblocknum",
		about: "How many transactions a block has.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: byNumber,
		reply: written,
		handle: ({ state, style }, { num }) =>
			`{"count": ${longText(blockByNumber(state, num)?.transactions.length ?? 0, style)}}`,
	}),
	defineEndpoint({
		name: "totaltransaction",
		about: "Kept for clients that still ask: the network answers nothing.",
		get: "query",
		post: "query",
		servers: ["full"],
		request: visibleOnly,
		reply: printed(EmptyMessage),
		handle: () => new EmptyMessage(),
	}),
	defineEndpoint({
		name: "gettransactionfrompending",
		about: "A transaction of the pool.",
		get: "query",
		post: "body",
		servers: ["full"],
		request: byId,
		reply: oneTransaction,
		answers: "Transaction",
		handle: ({ node }, { value }) => pendingTransaction(node, value),
	}),
	defineEndpoint({
		name: "gettransactionlistfrompending",
		about: "The ids of the transactions in the pool.",
		get: "query",
		post: "body",
		servers: ["full"],
		request: visibleOnly,
		reply: mapOrdered(TransactionIdList),
		handle: ({ node }) => pendingIds(node),
	}),
	defineEndpoint({
		name: "getpendingsize",
		about: "How many transactions wait for a block.",
		get: "query",
		post: "query",
		servers: ["full"],
		request: noRequest,
		reply: written,
		handle: ({ node, style }) => `{"pendingSize": ${longText(node.pool.size, style)}}`,
	}),
];
