/** Sending transactions (protocol/http-endpoints §2.1, §2.2). */

import { decodeHexText } from "../../../protocol/json/hex-text.js";
import { parseJsonObject } from "../../../protocol/json/json-library.js";
import { type Member, mapOrderedObject } from "../../../protocol/json/map-ordered-json.js";
import { readTextMember } from "../../../protocol/json/member-readers.js";
import { mapOrderedMessageWith, shownAs } from "../../../protocol/json/message-writer.js";
import { quoteMapOrdered } from "../../../protocol/json/quoting.js";
import { printedTransaction } from "../../../protocol/json/transaction-json.js";
import { packTransaction } from "../../../protocol/json/transaction-packing.js";
import { Return, ReturnResponse_codeEnum, Transaction } from "../../../protocol/messages.js";
import { spellMessage } from "../../../protocol/quoting-message.js";
import { SignedTransaction } from "../../../protocol/transaction.js";
import { broadcastReturn } from "../broadcast.js";
import { declaredFields, defineEndpoint, type Endpoint, type RequestForm, written } from "../endpoint.js";
import { REQUEST_BUDGET } from "../request.js";

/** A transaction in the form the builders return, with its signatures. */
export const packedTransaction: RequestForm<SignedTransaction> = {
	fields: declaredFields(Transaction, ["raw_data", "signature"]),
	read: (input) => packTransaction(input.text, input.visible, input.library, input.postQuantum),
};

/** A serialized transaction; the body size is not limited. */
const serialized: RequestForm<SignedTransaction> = {
	fields: [{ name: "transaction", type: "bytes" }],
	read: (input) => {
		const text = readTextMember(parseJsonObject(input.bodyText(), input.library), "transaction");
		const transaction = SignedTransaction.decode(decodeHexText(text), REQUEST_BUDGET);
		return input.postQuantum ? transaction.asReadOnNile() : transaction;
	},
};

export const broadcastEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "broadcasttransaction",
		about: "Sends a signed transaction.",
		get: "refused",
		servers: ["full"],
		limitedAs: "Broadcast",
		request: packedTransaction,
		answers: "Return",
		reply: written,
		handle: async (context, transaction) => {
			const { broadcaster, style } = context;
			const result = broadcastReturn(await broadcaster.broadcast(transaction, context), style.dialect);
			return mapOrderedMessageWith(Return, result, style, [["txid", `"${transaction.idHex}"`]]);
		},
	}),
	defineEndpoint({
		name: "broadcasthex",
		about: "Sends a signed transaction, given as the hexadecimal text of its bytes.",
		get: "refused",
		post: "raw",
		servers: ["full"],
		request: serialized,
		answers: "Return",
		reply: written,
		handle: async (context, transaction) => {
			const { broadcaster, style } = context;
			const { dialect, library } = style;
			const { code, message } = await broadcaster.broadcast(transaction, context);
			const codeName = ReturnResponse_codeEnum.names.get(code) ?? "";
			const shown = printedTransaction(transaction, shownAs(style, true));
			const members: Member[] = [
				["result", String(codeName === "SUCCESS")],
				["code", quoteMapOrdered(codeName)],
				["txid", `"${transaction.idHex}"`],
				["message", quoteMapOrdered(spellMessage(message, dialect))],
				["transaction", quoteMapOrdered(shown)],
			];
			return mapOrderedObject(members, library);
		},
	}),
];
