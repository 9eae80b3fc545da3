/** Messages with long lists as JSON, generated lazily in pieces. */

import { getField, type Message, type MessageType } from "../codec/descriptor.js";
import { isLongMessage, listSteps } from "../codec/message-parts.js";
import {
	type JsonForm,
	type JsonStyle,
	mapOrderedMessage,
	membersOf,
	printMessage,
} from "./message-writer.js";

const WRITERS = { printed: printMessage, mapOrdered: mapOrderedMessage };

/** A message in one of the two forms, in pieces. */
export function* messagePieces<T extends Message>(
	type: MessageType<T>,
	message: Readonly<T>,
	style: JsonStyle,
	form: JsonForm,
): Generator<string> {
	let before = "{";
	for (const member of membersOf(type, message, style, form)) {
		const head = before + (form === "printed" ? member.printedName : member.mapOrderedName);
		before = ",";
		const value = getField(message, member.field);
		const { nested, isList } = member;
		if (!nested) yield head + member[form](value);
		else {
			yield isList ? `${head}[` : head;
			yield* itemPieces(nested(), isList ? (value as readonly Message[]) : [value as Message], style, form);
			if (isList) yield "]";
		}
	}
	yield before === "{" ? "{}" : "}";
}

/** Comma-separated messages, in pieces. */
export function* itemPieces<T extends Message>(
	type: MessageType<T>,
	items: readonly Readonly<T>[],
	style: JsonStyle,
	form: JsonForm,
): Generator<string> {
	let isFirst = true;
	for (const some of listSteps(items)) {
		let text = "";
		for (const item of some) {
			if (!isFirst) text += ",";
			isFirst = false;
			if (isLongMessage(type, item)) {
				yield text;
				text = "";
				yield* messagePieces(type, item, style, form);
			} else text += WRITERS[form](type, item, style);
		}
		yield text;
	}
}
