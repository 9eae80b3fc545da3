/** Transactions and what became of them (protocol/json-rpc §§7.2 to 8). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { equalBytes } from "../../../../protocol/bytes.js";
import { NamedError } from "../../../../protocol/json/exceptions.js";
import { SignedTransaction } from "../../../../protocol/transaction.js";
import { locateTransaction } from "../../../chain/transaction-checks.js";
import type { StateView } from "../../../state/view.js";
import { blockById, blockByNumber, transactionInfoById } from "../../queries/blocks.js";
import { text } from "../declared-types.js";
import { defineMethod, type Method, type RpcValue } from "../method.js";
import { receiptObject } from "../objects/receipt.js";
import { pendingTransactionObject, transactionObject } from "../objects/transaction.js";
import { readHash, readIndex } from "../values.js";
import { blockByTag } from "./blocks.js";

function atIndex(state: StateView, block: SignedBlock | undefined, indexText: string | null): RpcValue {
	if (!block) return null;
	const index = readIndex(indexText);
	const { length } = block.transactions;
	if (index >= length) return null;
	const transaction = block.transactions[index];
	if (!transaction) {
		throw new NamedError("IndexOutOfBoundsException", `Index ${index} out of bounds for length ${length}`);
	}
	return transactionObject(state, block, index, transactionInfoById(state, transaction.id));
}

function byId(state: StateView, id: Uint8Array): RpcValue {
	const place = locateTransaction(state, id);
	if (!place) return null;
	if ("pending" in place) return pendingTransactionObject(state, SignedTransaction.decode(place.pending));
	const block = blockByNumber(state, place.block);
	const index = block?.transactions.findIndex((transaction) => equalBytes(transaction.id, id)) ?? -1;
	if (!block || index < 0) return null;
	return transactionObject(state, block, index, transactionInfoById(state, id));
}

export const transactionMethods: readonly Method[] = [
	defineMethod({
		name: "eth_getTransactionByHash",
		about: "A transaction of a block or of the pool; null if there is none.",
		parameters: [["hash", text]],
		handle: ({ state }, hash) => byId(state, readHash(hash)),
	}),
	defineMethod({
		name: "eth_getTransactionByBlockHashAndIndex",
		about: "A transaction by its block's id and its place there.",
		parameters: [
			["hash", text],
			["index", text],
		],
		handle: ({ state }, hash, index) => atIndex(state, blockById(state, readHash(hash)), index),
	}),
	defineMethod({
		name: "eth_getTransactionByBlockNumberAndIndex",
		about: "A transaction by its block's number or tag and its place there.",
		parameters: [
			["block", text],
			["index", text],
		],
		handle: ({ state }, block, index) => atIndex(state, blockByTag(state, block), index),
	}),
	defineMethod({
		name: "eth_getTransactionReceipt",
		about: "What became of a transaction; null while it is not in a block.",
		parameters: [["hash", text]],
		handle: ({ state }, hash) => {
			const info = transactionInfoById(state, readHash(hash));
			const block = info && blockByNumber(state, info.blockNumber);
			return info && block ? receiptObject(state, block, info) : null;
		},
	}),
];
