/** The contract of a transaction, that is what it does: its type and message. */

import { type AbiItem, type ContractInterface, hashedSignature } from "../../abi/parameter.js";
import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { type ContractType, contractTypes } from "../../protocol/contract-types.js";
import type { JsonRecord } from "../json.js";

export interface Contract {
	readonly type: ContractType;
	readonly parameter: Readonly<Message>;
}

/** Makes a contract from its message's class, which determines the contract type, and the message's fields. */
export function contractOf<T extends Message>(message: MessageType<T>, fields: Partial<T>): Contract {
	const type = contractTypes.find((row) => row.message?.typeName === message.typeName);
	if (!type) throw new TypeError(`${message.typeName} is not a contract`);
	return { type, parameter: message.create(fields) };
}

// A call, with the function and arguments that it was encoded from.

export interface NamedCall {
	readonly contract: Uint8Array;
	readonly data: Uint8Array;
	/** The function; undefined if only call data of an unknown function was given. */
	readonly item: AbiItem | undefined;
	/** The contract's interface, as far as known. */
	readonly items: ContractInterface;
	/** Arguments as typed. */
	readonly texts: readonly string[];
	/** Whether arguments were given by names that only the node says: exchanged names would exchange the values. */
	readonly byNodesNames?: boolean;
}

/** What an envelope records about its call. Must not contain an empty list. */
export function callNote({ item, texts }: NamedCall): JsonRecord | undefined {
	if (!item) return undefined;
	return {
		data: { signature: hashedSignature(item), ...(texts.length > 0 ? { arguments: texts } : {}) },
	};
}
