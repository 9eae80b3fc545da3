/** gRPC messages in the JSON form of the HTTP API (protocol/command-line §5.2), in both directions. */

import { SignedBlock } from "../../protocol/block.js";
import { getField, type Message, type MessageType } from "../../protocol/codec/descriptor.js";
import { NamedError } from "../../protocol/json/exceptions.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import type { Member } from "../../protocol/json/map-ordered-json.js";
import { type JsonStyle, mapOrderedMessageWith, printMessage } from "../../protocol/json/message-writer.js";
import { blockJson, transactionJson } from "../../protocol/json/transaction-json.js";
import { packTransaction } from "../../protocol/json/transaction-packing.js";
import { Block, Transaction } from "../../protocol/messages.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import { Failure } from "../failure.js";

type AnyType = MessageType<Message>;

/** @throws {Failure} `bad_value` with the place of what doesn't fit */
export function messageOfJson(type: AnyType, text: string, visible: boolean): Uint8Array {
	try {
		const isTransaction = type === Transaction;
		return isTransaction
			? Transaction.encode(packTransaction(text, visible).message)
			: type.encode(decodeFields(type, text, visible));
	} catch (error) {
		if (!(error instanceof NamedError)) throw error;
		const why = error.text ?? "a member is missing or no value of its kind";
		throw new Failure("bad_value", `the request is not a ${type.typeName}: ${why}`);
	}
}

/** A decoded message; transactions and blocks inside it as HTTP shows them, with ids and readable contracts. */
export function jsonOfMessage(type: AnyType, message: Readonly<Message>, style: JsonStyle): string {
	if (type === Transaction) {
		const transaction = message as Readonly<Transaction>;
		return transaction.raw_data ? transactionJson(new SignedTransaction(transaction), style) : "{}";
	}
	if (type === Block) {
		const block = message as Readonly<Block>;
		return block.block_header ? blockJson(new SignedBlock(block), style) : "{}";
	}
	const members = type.fields.flatMap((field): Member[] => {
		const inner = field.message?.();
		const value = getField(message, field.name);
		if (!inner || field.label === "map" || value === undefined || !holdsTransactions(inner)) return [];
		if (field.label === "singular") return [[field.name, jsonOfMessage(inner, value as Message, style)]];
		const items = (value as readonly Message[]).map((item) => jsonOfMessage(inner, item, style));
		return items.length === 0 ? [] : [[field.name, `[${items.join(",")}]`]];
	});
	return members.length > 0
		? mapOrderedMessageWith(type, message, style, members)
		: printMessage(type, message, style);
}

/** Whether a message is, or directly holds, a transaction or a block. */
function holdsTransactions(type: AnyType): boolean {
	const isOne = (known: AnyType): boolean => known === Transaction || known === Block;
	return isOne(type) || type.fields.some((field) => field.message !== undefined && isOne(field.message()));
}
