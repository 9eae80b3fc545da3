/** Facts that HTTP writes as a bean, as the message that gRPC answers with (protocol/grpc §2.7). */

import {
	type FieldDescriptor,
	type Message,
	type MessageType,
	setField,
} from "../../../protocol/codec/descriptor.js";
import { type BeanObject, type BeanValue, Double } from "../bean-json.js";

/** Names of members where they differ from those of the message. */
export type MemberNames = Readonly<Record<string, string>>;

/** Fills a message with the members of its fields' names; fields without a member keep their default. */
export function messageOfBean<T extends Message>(
	type: MessageType<T>,
	bean: BeanObject,
	names: MemberNames,
): T {
	const message = new type();
	for (const field of type.fields) {
		const value = bean[names[field.name] ?? field.name];
		if (value !== undefined) setField(message, field.name, fieldOf(field, value, names));
	}
	return message;
}

function fieldOf(field: FieldDescriptor, value: BeanValue, names: MemberNames): unknown {
	switch (field.label) {
		case "repeated":
			return (value as readonly BeanValue[]).map((item) => itemOf(field, item, names));
		case "map":
			return new Map(
				Object.entries(value as BeanObject).map(([key, item]) => [key, itemOf(field, item, names)]),
			);
		default:
			return itemOf(field, value, names);
	}
}

function itemOf(field: FieldDescriptor, value: BeanValue, names: MemberNames): unknown {
	if (field.message) return messageOfBean(field.message(), value as BeanObject, names);
	if (value instanceof Double) return value.value;
	return field.kind === "int64" ? BigInt(value as number | bigint) : value;
}
