/**
 * Reads messages from a node's JSON responses. More tolerant than the node's own reader, since responses come from releases of
 * any age: members in either spelling, integers as numbers or text, unknown members ignored.
 */

import { fromHex, utf8 } from "../../protocol/bytes.js";
import {
	type FieldDescriptor,
	type Message,
	type MessageType,
	setField,
} from "../../protocol/codec/descriptor.js";
import { spell, toNeutral } from "../../protocol/dialect.js";
import { byteClass } from "../../protocol/json/byte-fields.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord } from "../json.js";

/**
 * Reads a message whose bytes are in hexadecimal, the form of a response to a request without `visible`.
 * @throws {Failure} `rpc_error` naming the member that can't be read
 */
export function messageFrom<T extends Message>(type: MessageType<T>, answer: JsonRecord): T {
	const message = type.create();
	for (const field of type.fields) {
		const value = answer[field.name] ?? answer[spell(field.name, "deployed")];
		if (value === undefined || value === null) continue;
		setField(message, field.name, fieldValue(type.typeName, field, value));
	}
	return message;
}

function fieldValue(owner: string, field: FieldDescriptor, value: Json): unknown {
	if (field.label === "map") {
		const map = new Map<unknown, unknown>();
		for (const entry of Array.isArray(value) ? value : [value]) {
			if (!isRecord(entry)) throw unreadable(field);
			const { key, value: member } = entry;
			map.set(mapKey(field, key), single(owner, field, member ?? null));
		}
		return map;
	}
	if (field.label === "repeated") {
		return (Array.isArray(value) ? value : [value]).map((item: Json) => single(owner, field, item));
	}
	return single(owner, field, value);
}

function mapKey(field: FieldDescriptor, key: Json | undefined): unknown {
	return field.keyKind === "string" ? String(key ?? "") : answeredInteger(field, key ?? 0n);
}

function single(owner: string, field: FieldDescriptor, value: Json): unknown {
	switch (field.kind) {
		case "int64":
			return answeredInteger(field, value ?? 0n);
		case "int32":
			return Number(answeredInteger(field, value ?? 0n));
		case "bool":
			return value === true || value === "true";
		case "double":
			return Number(value);
		case "string":
			return typeof value === "string" ? value : String(value ?? "");
		case "bytes":
			return bytes(owner, field, value);
		case "enum":
			return enumNumber(field, value);
		case "message": {
			const type = field.message?.();
			if (!isRecord(value) || !type) throw unreadable(field);
			return messageFrom(type, value);
		}
	}
}

/**
 * A 64-bit integer that a node wrote as a number or as text.
 * @param field what is named if it is none
 * @throws {Failure} `rpc_error`
 */
export function answeredInteger(field: Pick<FieldDescriptor, "name">, value: Json | undefined): bigint {
	const number = typeof value === "string" && /^-?\d{1,19}$/.test(value) ? BigInt(value) : value;
	if (typeof number === "bigint" && BigInt.asIntN(64, number) === number) return number;
	throw unreadable(field);
}

function bytes(owner: string, field: FieldDescriptor, value: Json): Uint8Array {
	if (typeof value !== "string") throw unreadable(field);
	try {
		return fromHex(value);
	} catch {
		// A node writes the id of an issued token as plain text even if the request didn't ask for visible bytes.
		if (byteClass(owner, field.name) === "text") return utf8(value);
		throw unreadable(field);
	}
}

function enumNumber(field: FieldDescriptor, value: Json): number {
	if (typeof value === "bigint") return Number(value);
	const name = String(value);
	const number = field.enumeration?.values[name] ?? field.enumeration?.values[toNeutral(name)];
	if (number === undefined) throw unreadable(field);
	return number;
}

function unreadable(field: Pick<FieldDescriptor, "name">): Failure {
	return new Failure("rpc_error", `the node's answer has a member ${field.name} that can't be read`);
}
