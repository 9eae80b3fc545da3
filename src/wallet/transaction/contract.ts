/** What a transaction is to do: the type and the message of its one contract. */

import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { type ContractType, contractTypes } from "../../protocol/contract-types.js";

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
