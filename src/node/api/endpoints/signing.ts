/** Who has signed a transaction, and whether it is enough (protocol/http-endpoints §2.3, §2.4). */

import { mapOrderedMessageWith } from "../../../protocol/json/message-writer.js";
import { transactionJson } from "../../../protocol/json/transaction-json.js";
import {
	TransactionApprovedList,
	TransactionExtention,
	TransactionSignWeight,
} from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import type { ApiContext } from "../context.js";
import { defineEndpoint, type Endpoint, written } from "../endpoint.js";
import { approvedList, signWeight } from "../queries/signatures.js";
import { transactionExtention } from "../transaction-extention.js";
import { packedTransaction } from "./broadcast.js";

/** The transaction as both answers carry it. */
function extention({ style }: ApiContext, transaction: SignedTransaction): string {
	return mapOrderedMessageWith(TransactionExtention, transactionExtention(transaction), style, [
		["transaction", transactionJson(transaction, style)],
	]);
}

export const signingEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getsignweight",
		about: "The weight of a transaction's signatures under the permission that it names.",
		get: "empty",
		post: "body",
		servers: ["full"],
		request: packedTransaction,
		answers: "TransactionSignWeight",
		reply: written,
		handle: (context, transaction) =>
			mapOrderedMessageWith(TransactionSignWeight, signWeight(context, transaction), context.style, [
				["transaction", extention(context, transaction)],
			]),
	}),
	defineEndpoint({
		name: "getapprovedlist",
		about: "The addresses that have signed a transaction.",
		get: "empty",
		post: "body",
		servers: ["full"],
		request: packedTransaction,
		answers: "TransactionApprovedList",
		reply: written,
		handle: (context, transaction) =>
			mapOrderedMessageWith(TransactionApprovedList, approvedList(context, transaction), context.style, [
				["transaction", extention(context, transaction)],
			]),
	}),
];
