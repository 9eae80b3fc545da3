/** What a transaction is to do: the type and the message of its one contract. */

import { type AbiItem, type ContractInterface, hashedSignature } from "../../abi/parameter.js";
import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { type ContractType, contractTypes } from "../../protocol/contract-types.js";
import type { JsonRecord } from "../json.js";

export interface Contract {
	readonly type: ContractType;
	readonly parameter: Readonly<Message>;
}

/** The contract whose message has these fields; its type follows from the message's class. */
export function contractOf<T extends Message>(message: MessageType<T>, fields: Partial<T>): Contract {
	const type = contractTypes.find((row) => row.message?.typeName === message.typeName);
	if (!type) throw new TypeError(`${message.typeName} is not a contract`);
	return { type, parameter: message.create(fields) };
}

// A call with the function and the arguments that it was made of.

export interface NamedCall {
	readonly contract: Uint8Array;
	readonly data: Uint8Array;
	/** The function; undefined where only data was given, whose function is unknown. */
	readonly item: AbiItem | undefined;
	/** The contract's interface, as far as it is known. */
	readonly items: ContractInterface;
	/** Arguments as typed. */
	readonly texts: readonly string[];
}

/** What an envelope says about its call. It must hold no empty list. */
export function callNote({ item, texts }: NamedCall): JsonRecord | undefined {
	if (!item) return undefined;
	return {
		data: { signature: hashedSignature(item), ...(texts.length > 0 ? { arguments: texts } : {}) },
	};
}
