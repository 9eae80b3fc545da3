/** Looks for what a message carries beyond its schema. */

import { getField, type Message, type MessageType } from "./descriptor.js";

/** Whether a message, or one inside it, has fields that the schema doesn't know. */
export function hasUnknownFields(type: MessageType<Message>, message: Readonly<Message>): boolean {
	if (message.$unknown !== undefined && message.$unknown.length > 0) return true;
	return type.fields.some((field) => {
		if (!field.message) return false;
		const value = getField(message, field.name);
		const values = field.label === "singular" ? [value] : [...(value as Iterable<unknown>)];
		const inner = field.message();
		return values.some((each) => each !== undefined && hasUnknownFields(inner, each as Message));
	});
}
