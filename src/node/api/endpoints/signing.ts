/** Who has signed a transaction, and whether that is enough (protocol/http-endpoints §2.3, §2.4). */

import type { Message, MessageType } from "../../../protocol/codec/descriptor.js";
import { mapOrderedMessageWith } from "../../../protocol/json/message-writer.js";
import { transactionJson } from "../../../protocol/json/transaction-json.js";
import {
	TransactionApprovedList,
	TransactionExtention,
	TransactionSignWeight,
} from "../../../protocol/messages.js";
import { transactionExtention } from "../builder.js";
import type { ApiContext } from "../context.js";
import { defineEndpoint, type Endpoint, written } from "../endpoint.js";
import { approvedList, type SignatureAnswer, signWeight } from "../queries/signatures.js";
import { packedTransaction } from "./broadcast.js";

/** An answer together with the transaction it refers to. */
function withTransaction<T extends Message>(
	{ style }: ApiContext,
	type: MessageType<T>,
	{ answer, shown }: SignatureAnswer<T>,
): string {
	if (!shown) return mapOrderedMessageWith(type, answer, style, []);
	const extention = mapOrderedMessageWith(TransactionExtention, transactionExtention(shown), style, [
		["transaction", transactionJson(shown, style)],
	]);
	return mapOrderedMessageWith(type, answer, style, [["transaction", extention]]);
}

export const signingEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getsignweight",
		about: "The weight of a transaction's signatures under the permission that it names.",
		get: "empty",
		servers: ["full"],
		request: packedTransaction,
		answers: "TransactionSignWeight",
		reply: written,
		handle: async (context, transaction) =>
			withTransaction(context, TransactionSignWeight, await signWeight(context, transaction)),
	}),
	defineEndpoint({
		name: "getapprovedlist",
		about: "The addresses that have signed a transaction.",
		get: "empty",
		servers: ["full"],
		request: packedTransaction,
		answers: "TransactionApprovedList",
		reply: written,
		handle: async (context, transaction) =>
			withTransaction(context, TransactionApprovedList, await approvedList(context, transaction)),
	}),
];
