/** The rule of ALLOW_PROTO_FILTER_NUM: received messages carry no field that the schema doesn't name (sheet 02 §1.3). */

import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { getField } from "../../protocol/codec/descriptor.js";
import { contractTypeById } from "../../protocol/contract-types.js";
import { Block, Transaction } from "../../protocol/messages.js";
import { type SignedTransaction, unpackParameter } from "../../protocol/transaction.js";
import { RuntimeRuleError } from "../contracts/errors.js";

/** Whether a message or one inside it carries a field outside its schema. */
export function hasUnknownFields(type: MessageType<Message>, message: Readonly<Message>): boolean {
	if (message.$unknown !== undefined && message.$unknown.length > 0) return true;
	return type.fields.some((field) => {
		if (field.kind !== "message" || !field.message) return false;
		const inner = field.message();
		const value = getField(message, field.name);
		if (value === undefined) return false;
		if (field.label === "singular") return hasUnknownFields(inner, value as Message);
		const values = field.label === "map" ? (value as Map<unknown, Message>).values() : (value as Message[]);
		for (const element of values) if (hasUnknownFields(inner, element)) return true;
		return false;
	});
}

/** The first enumeration value without a name in a message, as a rule that refuses them needs to know. */
export function hasUnnamedEnum(type: MessageType<Message>, message: Readonly<Message>): boolean {
	return type.fields.some((field) => {
		const value = getField(message, field.name);
		if (field.kind === "enum" && field.label === "singular")
			return !field.enumeration?.names.has(value as number);
		if (field.kind !== "message" || !field.message || value === undefined) return false;
		const inner = field.message();
		if (field.label === "singular") return hasUnnamedEnum(inner, value as Message);
		const values = field.label === "map" ? (value as Map<unknown, Message>).values() : (value as Message[]);
		for (const element of values) if (hasUnnamedEnum(inner, element)) return true;
		return false;
	});
}

/**
 * Refuses a transaction with unknown fields, in itself or in its contract's parameter.
 * @throws {RuntimeRuleError} `protobuf inconsistent`, or why the parameter can't be re-read
 * @throws {ParameterError | DecodeError} if the parameter isn't what its type says
 */
export function checkKnownFields(transaction: SignedTransaction): void {
	if (hasUnknownFields(Transaction as unknown as MessageType<Message>, transaction.message))
		throw inconsistent();
	for (const contract of transaction.raw?.contract ?? []) {
		const type = contractTypeById(contract.type)?.message;
		if (!type) throw inconsistent();
		const parameter = unpackParameter(contract);
		if (hasUnknownFields(type, parameter)) throw inconsistent();
		if (hasUnnamedEnum(type, parameter)) {
			throw new RuntimeRuleError(
				"IllegalArgumentException",
				"Can't get the number of an unknown enum value.",
			);
		}
	}
}

/** Whether a received block breaks the rule. */
export function blockHasUnknownFields(message: Readonly<Block>): boolean {
	return hasUnknownFields(Block as unknown as MessageType<Message>, message);
}

function inconsistent(): RuntimeRuleError {
	return new RuntimeRuleError("P2pException", "protobuf inconsistent");
}
