/** Values returned by the generic JSON parser. Members keep the order of first appearance. */

import type { Decimal } from "./decimal.js";

export type JsonValue = null | boolean | string | Decimal | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** An object whose members are written in the order they were read (protocol/releases §4). */
export class InsertedObject extends Map<string, JsonValue> {}

/** A copy of an object with a member added or replaced. */
export function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
	const copy = object instanceof InsertedObject ? new InsertedObject(object) : new Map(object);
	return copy.set(name, value);
}

export function withoutMember(object: JsonObject, name: string): JsonObject {
	if (!object.has(name)) return object;
	const copy = object instanceof InsertedObject ? new InsertedObject(object) : new Map(object);
	copy.delete(name);
	return copy;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
	return value instanceof Map;
}

export function isJsonArray(value: JsonValue | undefined): value is JsonArray {
	return Array.isArray(value);
}
