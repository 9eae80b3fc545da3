/** Messages with long lists (a receipt with thousands of logs): detected up front and encoded in parts. */

import { getField, type Message, type MessageType, setField } from "./descriptor.js";

/** Elements encoded per part. */
const LIST_STEP = 64;
/** A message with a longer list is encoded in parts. */
const LONG_LIST = 4 * LIST_STEP;
/** Nesting depth to which lists are searched. */
const MAX_LIST_DEPTH = 3;

/** Whether the message contains a long list. */
export function isLongMessage(type: MessageType<Message>, message: Readonly<Message>, depth = 0): boolean {
	for (const { name, label, kind, message: typeOf } of type.fields) {
		if (kind !== "message" || label === "map" || !typeOf) continue;
		const value = getField(message, name);
		const items = (label === "repeated" ? value : value === undefined ? [] : [value]) as readonly Message[];
		if (items.length > LONG_LIST) return true;
		if (depth < MAX_LIST_DEPTH && items.some((item) => isLongMessage(typeOf(), item, depth + 1))) return true;
	}
	return false;
}

/** Splits a list into the slices encoded per part. */
export function* listSteps<T>(items: readonly T[]): Generator<readonly T[]> {
	for (let from = 0; from < items.length; from += LIST_STEP) yield items.slice(from, from + LIST_STEP);
}

/** The canonical encoding, in parts. */
export function* messageParts<T extends Message>(
	type: MessageType<T>,
	message: Readonly<T>,
): Generator<Uint8Array> {
	for (const { name, number, label, kind, message: typeOf } of type.fields) {
		const value = getField(message, name);
		if (label !== "repeated" || kind !== "message" || !typeOf) {
			yield encodeOnly(type, name, value);
			continue;
		}
		for (const items of listSteps(value as readonly Message[])) {
			if (items.some((item) => isLongMessage(typeOf(), item))) {
				for (const item of items) yield* embedded(typeOf(), number, item);
			} else yield encodeOnly(type, name, items);
		}
	}
	yield encodeOnly(type, "$unknown", message.$unknown);
}

function encodeOnly<T extends Message>(type: MessageType<T>, name: string, value: unknown): Uint8Array {
	const part = new type();
	setField(part, name, value);
	return type.encode(part);
}

/** A message encoded as a list element. */
function* embedded(type: MessageType<Message>, number: number, item: Message): Generator<Uint8Array> {
	const parts: Uint8Array[] = [];
	let length = 0;
	for (const part of messageParts(type, item)) {
		parts.push(part);
		length += part.length;
		// Yields nothing yet, but lets other tasks run.
		yield new Uint8Array(0);
	}
	yield Uint8Array.of(...varint((number << 3) | 2), ...varint(length));
	yield* parts;
}

/** Varint groups of an unsigned number below 2^53. */
export function* varint(value: number): Generator<number> {
	let rest = value;
	for (; rest > 0x7f; rest = Math.floor(rest / 128)) yield (rest & 0x7f) | 0x80;
	yield rest;
}
