/** Reads single members of a JSON object, for endpoints that don't decode a message (protocol/http §3.2). */

import { toNeutral } from "../dialect.js";
import { parseInt64 } from "../int64.js";
import { Decimal } from "./decimal.js";
import { NamedError, nullPointer, numberFormat } from "./exceptions.js";
import type { JsonLibrary } from "./json-library.js";
import { mapOrderedJson } from "./map-ordered-json.js";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./value.js";

/** A member by neutral name; also accepts the deployed spelling. */
function neutralMember(object: JsonObject, name: string): JsonValue | undefined {
	const value = object.get(name);
	if (value !== undefined) return value;
	for (const [key, candidate] of object) if (toNeutral(key) === name) return candidate;
	return undefined;
}

/** A value as text: strings verbatim, anything else as JSON; null if absent. */
export function valueText(value: JsonValue | undefined): string | null {
	if (value === undefined || value === null) return null;
	if (typeof value === "string") return value;
	if (typeof value === "boolean" || value instanceof Decimal) return value.toString();
	return mapOrderedJson(value);
}

/** A member as text; null if absent or null. */
export function readTextMember(object: JsonObject, name: string): string | null {
	return valueText(neutralMember(object, name));
}

/** Whether `visible` is true, as a boolean or as text in any case. */
export function readVisible(object: JsonObject): boolean {
	return readTextMember(object, "visible")?.toLowerCase() === "true";
}

/** Whether a required member counts as absent: null, empty text, or empty object. */
function isMissing(value: JsonValue | undefined): boolean {
	if (value === undefined || value === null || value === "") return true;
	return isJsonObject(value) && value.size === 0;
}

/**
 * A signed 64-bit integer from a number or numeric text; 0 if absent, null or empty.
 * @throws {NamedError} ArithmeticException, NumberFormatException, InvalidParameterException
 */
export function readLong(object: JsonObject, name: string, required = false): bigint {
	const value = neutralMember(object, name);
	if (required && isMissing(value)) {
		throw new NamedError("InvalidParameterException", `key [${name}] does not exist`);
	}
	const text = valueText(value);
	if (text === null || text === "" || text.toLowerCase() === "null") return 0n;
	return (value instanceof Decimal ? value : Decimal.parse(text)).toInt64();
}

/**
 * A signed 32-bit integer: numbers are truncated and wrapped, numeric texts parsed, true is 1.
 * @throws {NamedError} NullPointerException if null or empty, NumberFormatException, JSONException
 */
export function readInt(value: JsonValue, library: JsonLibrary): number {
	if (value === null) throw nullPointer();
	if (typeof value === "boolean") return value ? 1 : 0;
	if (value instanceof Decimal) return value.toInt32();
	if (isJsonArray(value) || isJsonObject(value)) {
		throw library.error(`can not cast to int, value : ${mapOrderedJson(value)}`);
	}
	if (value === "" || value === "null" || value === "NULL") throw nullPointer();
	const digits = value.replaceAll(",", "").replace(/\.0*$/, "");
	const number = parseInt64(digits);
	if (number === undefined || number !== BigInt.asIntN(32, number)) throw numberFormat(digits);
	return Number(number);
}
