/** The values of a JSON text as the generic parser gives them. Members keep the order of their first appearance. */

import type { Decimal } from "./decimal.js";

export type JsonValue = null | boolean | string | Decimal | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export type JsonObject = ReadonlyMap<string, JsonValue>;

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
	return value instanceof Map;
}

export function isJsonArray(value: JsonValue | undefined): value is JsonArray {
	return Array.isArray(value);
}
