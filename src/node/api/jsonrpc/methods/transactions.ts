/** Transactions and their receipts (protocol/json-rpc §§7.2 to 8). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { equalBytes } from "../../../../protocol/bytes.js";
import type { TransactionInfo } from "../../../../protocol/messages.js";
import { SignedTransaction } from "../../../../protocol/transaction.js";
import {
	blockById,
	blockByNumber,
	locateTransaction,
	transactionInfoById,
} from "../../../chain/block-store.js";
import { readersOf } from "../answers.js";
import { text } from "../declared-types.js";
import { longResult } from "../long-result.js";
import { defineMethod, type RpcContext, type RpcMethod, type RpcResult, type RpcValue } from "../method.js";
import { logSize } from "../objects/log.js";
import {
	MAX_LOGS_AT_ONCE,
	type Receipt,
	receiptObject,
	receiptOf,
	receiptPieces,
} from "../objects/receipt.js";
import { objectStyleOf } from "../objects/style.js";
import { pendingTransactionObject, transactionObject } from "../objects/transaction.js";
import { blockByTag } from "./blocks.js";

function atIndex(context: RpcContext, block: SignedBlock | undefined, indexText: string | null): RpcValue {
	if (!block) return null;
	const { state } = context;
	const index = readersOf(context).index(indexText, block.transactions.length);
	const transaction = index === undefined ? undefined : block.transactions[index];
	if (index === undefined || !transaction) return null;
	const info = transactionInfoById(state, transaction.id);
	return transactionObject(state, block, index, info, objectStyleOf(context));
}

function byId(context: RpcContext, id: Uint8Array): RpcValue {
	const { state } = context;
	const style = objectStyleOf(context);
	const place = locateTransaction(state, id);
	if (!place) return null;
	if ("pending" in place) {
		return pendingTransactionObject(state, SignedTransaction.decode(place.pending), style);
	}
	const block = blockByNumber(state, place.block);
	const index = block?.transactions.findIndex((transaction) => equalBytes(transaction.id, id)) ?? -1;
	if (!block || index < 0) return null;
	return transactionObject(state, block, index, transactionInfoById(state, id), style);
}

/** A receipt with many logs is made time-sliced. */
function receiptResult(
	context: RpcContext,
	block: SignedBlock,
	info: Readonly<TransactionInfo>,
): RpcResult | Promise<RpcResult> {
	const style = objectStyleOf(context);
	const { node, server } = context;
	if (info.log.length <= MAX_LOGS_AT_ONCE) return receiptObject(receiptOf(context.state, block, info, style));
	const least = info.log.reduce((sum, log) => sum + logSize(log), 0);
	// Reads the state current when the answer is actually sent.
	const receipt = function* (): Generator<Receipt> {
		yield receiptOf(node.view(server), block, info, style);
	};
	return longResult(context, receiptPieces(receipt()), least);
}

export const transactionMethods: readonly RpcMethod[] = [
	defineMethod({
		name: "eth_getTransactionByHash",
		about: "A transaction of a block or of the pool; null if there is none.",
		parameters: [["hash", text]],
		handle: (context, hash) => byId(context, readersOf(context).hash(hash)),
	}),
	defineMethod({
		name: "eth_getTransactionByBlockHashAndIndex",
		about: "A transaction by its block's id and its place there.",
		parameters: [
			["hash", text],
			["index", text],
		],
		handle: (context, hash, index) =>
			atIndex(context, blockById(context.state, readersOf(context).hash(hash)), index),
	}),
	defineMethod({
		name: "eth_getTransactionByBlockNumberAndIndex",
		about: "A transaction by its block's number or tag and its place there.",
		parameters: [
			["block", text],
			["index", text],
		],
		handle: (context, block, index) => atIndex(context, blockByTag(context, block), index),
	}),
	defineMethod({
		name: "eth_getTransactionReceipt",
		about: "What became of a transaction; null while it is not in a block.",
		parameters: [["hash", text]],
		handle: (context, hash) => {
			const { state } = context;
			const info = transactionInfoById(state, readersOf(context).hash(hash));
			const block = info && blockByNumber(state, info.blockNumber);
			return info && block ? receiptResult(context, block, info) : null;
		},
	}),
];
