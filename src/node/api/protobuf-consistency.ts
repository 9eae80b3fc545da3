/**
 * The rule of ALLOW_PROTO_FILTER_NUM for transactions that clients send (sheet 02 §1.3, sheet 06 §6.1 rows 6a, 6b):
 * no field that the schema doesn't know, in the transaction or in its parameter.
 */

import { getField, type Message, type MessageType } from "../../protocol/codec/descriptor.js";
import { contractTypeById } from "../../protocol/contract-types.js";
import { NamedError } from "../../protocol/json/exceptions.js";
import { Transaction } from "../../protocol/messages.js";
import { type SignedTransaction, unpackParameter } from "../../protocol/transaction.js";

/** @throws {NamedError | ParameterError | DecodeError} with the text that follows `Error: ` */
export function checkProtobufConsistency(transaction: SignedTransaction): void {
	walk(Transaction as unknown as MessageType<Message>, transaction.message as unknown as Message);
	for (const contract of transaction.raw?.contract ?? []) {
		const type = contractTypeById(contract.type)?.message;
		if (!type) throw inconsistent();
		const parameter = unpackParameter(contract);
		walk(type, parameter);
	}
}

function inconsistent(): NamedError {
	return new NamedError("P2pException", "protobuf inconsistent");
}

function walk(type: MessageType<Message>, message: Message): void {
	if (message.$unknown !== undefined && message.$unknown.length > 0) throw inconsistent();
	for (const field of type.fields) {
		if (!field.message) continue;
		const value = getField(message, field.name);
		const values = field.label === "singular" ? [value] : [...(value as Iterable<unknown>)];
		for (const each of values) {
			if (each !== undefined) walk(field.message(), each as Message);
		}
	}
}
