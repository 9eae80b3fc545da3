/**
 * The network's node reads and writes JSON with one library up to release 4.8.1 and with another from 4.8.2 on
 * (protocol/http §2.3, protocol/releases §4): another grammar of what it reads, other texts of errors, and another order of what
 * it writes.
 */

import { NamedError, nullPointer } from "./exceptions.js";
import { parseLenient } from "./lenient-parser.js";
import { jsonException, parseRelaxed } from "./relaxed-reader.js";
import { isJsonObject, type JsonObject, type JsonValue } from "./value.js";

/** `hashed`: objects have the order of a hash map; `inserted`: the order in which members were put in. */
export type JsonLibrary = "hashed" | "inserted";

/** Reads a text. @throws {NamedError} JSONException, or NumberFormatException for a malformed number */
export function parseJson(text: string, library: JsonLibrary): JsonValue {
	return library === "inserted" ? parseRelaxed(text) : parseLenient(text);
}

/** The error of a text that is not what is wanted. */
export function jsonError(text: string, library: JsonLibrary): NamedError {
	return library === "inserted" ? jsonException(text) : new NamedError("JSONException", text);
}

/**
 * Reads a text that must be an object.
 * @throws {NamedError} as {@link parseJson}; `can not cast to JSONObject.` for other values; NullPointerException for null
 */
export function parseJsonObject(text: string, library: JsonLibrary): JsonObject {
	const value = parseJson(text, library);
	if (value === null) throw nullPointer();
	if (!isJsonObject(value)) throw jsonError("can not cast to JSONObject.", library);
	return value;
}
