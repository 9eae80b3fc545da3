/**
 * Converts messages to printable values: wire names, addresses in Base58, 64-bit integers as bigint (which
 * prints as text), 32-bit ones as numbers, absent fields omitted (protocol/command-line §1.1, §1.3).
 */

import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import type { FieldDescriptor, Message, MessageType } from "../../protocol/codec/descriptor.js";
import { getField } from "../../protocol/codec/descriptor.js";
import { byteClass } from "../../protocol/json/byte-fields.js";

/** A printable value. */
export type View = string | number | bigint | boolean | readonly View[] | { readonly [name: string]: View };

/** All present fields of a message. */
function viewMessage(type: MessageType<Message>, message: Readonly<Message>): Record<string, View> {
	const view: Record<string, View> = {};
	for (const field of type.fields) {
		const value = getField(message, field.name);
		if (!isPresent(field, value)) continue;
		view[field.name] = viewField(type.typeName, field, value);
	}
	return view;
}

/** All present fields of a message, whose class is its message type. */
export function viewOf<T extends Message>(message: Readonly<T>): Record<string, View> {
	return viewMessage((message as object).constructor as MessageType<Message>, message);
}

function isPresent(field: FieldDescriptor, value: unknown): boolean {
	if (value === undefined || value === null) return false;
	if (field.label === "repeated") return (value as readonly unknown[]).length > 0;
	if (field.label === "map") return (value as ReadonlyMap<unknown, unknown>).size > 0;
	if (field.kind === "message") return true;
	if (field.kind === "bytes") return (value as Uint8Array).length > 0;
	return value !== 0 && value !== 0n && value !== "" && value !== false;
}

function viewField(typeName: string, field: FieldDescriptor, value: unknown): View {
	if (field.label === "repeated") {
		return (value as readonly unknown[]).map((item) => viewSingle(typeName, field, item));
	}
	if (field.label === "map") {
		const entries: Record<string, View> = {};
		for (const [key, item] of value as ReadonlyMap<unknown, unknown>) {
			entries[String(key)] = viewSingle(typeName, field, item);
		}
		return entries;
	}
	return viewSingle(typeName, field, value);
}

function viewSingle(typeName: string, field: FieldDescriptor, value: unknown): View {
	switch (field.kind) {
		case "bytes":
			return viewBytes(typeName, field.name, value as Uint8Array);
		case "enum":
			return field.enumeration?.names.get(value as number) ?? (value as number);
		case "message":
			return viewOf(value as Readonly<Message>);
		default:
			return value as string | number | bigint | boolean;
	}
}

function viewBytes(typeName: string, name: string, bytes: Uint8Array): View {
	switch (byteClass(typeName, name)) {
		case "address":
			// Logs contain addresses of 20 bytes, as used by the virtual machine.
			return toBase58Check(bytes.length === 20 ? addressFromHash(bytes) : bytes);
		case "text":
			return fromUtf8(bytes);
		case "hex":
			return toHex(bytes);
	}
}
